"""Paths as trainlint compares them and as it shows them. Links are followed only to ask what is there."""

from __future__ import annotations

import os
from pathlib import Path


def absolute(path: Path) -> Path:
    """The absolute path without `..`, so that its parents are the directories above it."""
    return Path(os.path.abspath(path))  # Path.absolute() keeps "..", and Path.resolve() follows links


def exists(path: Path | str) -> bool:
    """Whether there is something at a path; False where the path is too long or may not be looked at."""
    return os.path.exists(path)  # Path.exists() raises OSError there


def is_directory(path: Path | str) -> bool:
    """Whether there is a directory at a path; False where the path is too long or may not be looked at."""
    return os.path.isdir(path)  # Path.is_dir() raises OSError there


def shown_path(path: Path | str, directory: Path) -> str:
    """An absolute path as people see it: relative to `directory` where it lies below it, with forward slashes."""
    text, above = str(path), str(directory)
    if text.startswith(above.rstrip(os.sep) + os.sep):
        text = text[len(above.rstrip(os.sep)) + 1 :]
    elif text == above:
        text = "."
    return text.replace(os.sep, "/")


def shown_here(path: Path) -> str:
    """Any path as people see it who stand in the working directory; a `..` that they typed stays."""
    return shown_path(path.absolute(), Path.cwd())
