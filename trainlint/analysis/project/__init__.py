"""The project index: summaries of files, and what files tell each other."""
