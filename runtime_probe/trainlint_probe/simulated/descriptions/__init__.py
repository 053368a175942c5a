"""What is known of an operator of PyTorch, and what it does on a GPU given its arguments."""
