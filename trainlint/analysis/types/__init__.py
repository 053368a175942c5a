"""Type inference: what a value is, where it is, and where it comes from."""
