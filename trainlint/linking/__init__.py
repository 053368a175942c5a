"""Facts across files: summaries of all files in, what each file is told by the others out."""
