"""Evidence that is not a table of labelled cases, turned into one."""
