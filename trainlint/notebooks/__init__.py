"""Jupyter notebooks: their code cells as one module, and the way back into the file."""
