"""Execute statements and evaluate expressions with abstract values."""
