"""What the files of a project know of each other, once their summaries lie side by side."""
