"""Comments of a file, and which of them give a reason for the line that they stand at."""
