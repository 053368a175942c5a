"""A rule pack like a visitor's, with rules that do what a test asks of them."""
