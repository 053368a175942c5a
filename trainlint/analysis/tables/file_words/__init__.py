"""Words in the bytes of a file, which tell of it before it is parsed."""
