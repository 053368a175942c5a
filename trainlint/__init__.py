"""trainlint: a static linter and advisor for PyTorch training code."""

__version__ = "0.1.0"
