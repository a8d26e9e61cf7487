"""Sources of tables: arrays, frames, relations and files."""
