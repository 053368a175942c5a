"""Lets a script rename directories that lie under an overlay, which Linux refuses as it does between file systems."""

from __future__ import annotations

import errno
import functools
import os
import shutil
from collections.abc import Callable
from typing import Any


def install() -> None:
    """From now on a directory that cannot be renamed is copied and removed, as `mv` and `shutil.move` do."""
    os.rename = _moving(os.rename)
    os.replace = _moving(os.replace)


def _moving(rename: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(rename)
    def wrapper(source: Any, target: Any, **settings: Any) -> None:
        try:
            rename(source, target, **settings)
        except OSError as error:
            is_directory = os.path.isdir(source) and not os.path.islink(source)  # noqa: PTH112, PTH114 - it may be bytes
            if error.errno != errno.EXDEV or settings or not is_directory:
                raise
            if os.path.lexists(target):
                os.rmdir(target)  # noqa: PTH106 - as above; an empty one may be replaced, and no other
            shutil.copytree(source, target, symlinks=True)
            shutil.rmtree(source)

    return wrapper
