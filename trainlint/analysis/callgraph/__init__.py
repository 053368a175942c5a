"""Who calls whom, over all files of a project."""
