"""Where tables come from: arrays, frames, relations and files."""
