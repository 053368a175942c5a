"""What users of profilers look for first: the time of each operator, of each module and of each line."""
