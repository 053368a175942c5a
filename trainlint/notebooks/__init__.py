"""Jupyter notebooks: their code cells as one module, and the way back into the file."""

SUFFIX = ".ipynb"


def is_notebook(path: str) -> bool:
    """Whether a path is that of a Jupyter notebook."""
    return path.endswith(SUFFIX)
