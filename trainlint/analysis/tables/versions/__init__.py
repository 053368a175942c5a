"""What differs between versions of PyTorch: deprecated names and arguments, and when each version came out."""
