"""Jupyter notebooks: their code cells as one module, and the way back into the file."""

from trainlint.bounded import NOTEBOOK_BYTES, SOURCE_BYTES

SUFFIX = ".ipynb"


def is_notebook(path: str) -> bool:
    """Whether a path is that of a Jupyter notebook."""
    return path.endswith(SUFFIX)


def most_bytes(path: str) -> int:
    """How many bytes of a file with code are read at most."""
    return NOTEBOOK_BYTES if is_notebook(path) else SOURCE_BYTES
