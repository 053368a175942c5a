"""Host memory that copies read: whether a batch has its own, and whether it is left alone."""
