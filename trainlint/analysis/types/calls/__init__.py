"""What calls give: results of PyTorch, of NumPy, of modules and of own functions."""
