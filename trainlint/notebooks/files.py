"""How notebooks are told from other files."""

from __future__ import annotations

SUFFIX = ".ipynb"


def is_notebook(path: str) -> bool:
    """Whether a path is that of a Jupyter notebook."""
    return path.endswith(SUFFIX)
