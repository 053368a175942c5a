"""Setting a project up."""
