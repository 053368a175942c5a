"""Other frameworks: their packages, and the methods that they call."""
