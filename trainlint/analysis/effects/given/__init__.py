"""What functions do with what they are given."""
