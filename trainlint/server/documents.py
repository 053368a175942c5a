"""What is open in the editor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pygls.uris import to_fs_path

from trainlint.bounded import SOURCE_BYTES
from trainlint.engine.discover import is_python
from trainlint.paths import absolute
from trainlint.training_settings.files import holds_settings, is_settings

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs, which no file can hold."""


@dataclass(frozen=True, slots=True)
class Document:
    """One state of an open document."""

    uri: str
    version: int | None
    text: str
    language: str = ""
    """As the editor calls it."""
    too_large: bool = False
    """Whether the editor's text is larger than what is judged. `text` is empty then."""

    @property
    def path(self) -> Path | None:
        """The file, absolute; None for a document that has no file yet, and no name."""
        if urlsplit(self.uri).scheme != "file":
            return None
        path = to_fs_path(self.uri)
        return absolute(Path(path)) if path and path.strip("/\\") else None

    @property
    def is_judged(self) -> bool:
        """Whether it is code, or holds settings of training."""
        scheme = urlsplit(self.uri).scheme
        if scheme not in ("file", "untitled"):
            return False  # such as one side of a diff, or a cell of a notebook
        name = str(self.path or "")
        if is_settings(name):
            if self.too_large:
                return False  # whether it holds settings is not known
            return holds_settings(name, self.text.encode("utf-8", "replace"))
        return is_python(name) or self.language == "python"


def document(uri: str, version: int | None, text: str, language: str = "") -> Document:
    """A document of what an editor sent. Each half of a surrogate pair is replaced by a character of the same width.

    Of a text that is larger than any file with code that is read, nothing is kept.
    """
    if len(text) > SOURCE_BYTES or len(text.encode("utf-8", "replace")) > SOURCE_BYTES:
        return Document(uri, version, "", language, too_large=True)
    return Document(uri, version, _HALVES.sub("?", text), language)
