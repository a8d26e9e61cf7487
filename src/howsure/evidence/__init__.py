"""Evidence that is not a plain table of labelled cases, made into one."""
