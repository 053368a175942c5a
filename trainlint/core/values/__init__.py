"""What a thing is, where it lies, and how it came to be: the values of the abstract run."""
