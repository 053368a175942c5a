"""A file's bytes: how they are read, and the gate that spares most work on files that cannot hold a finding."""

from __future__ import annotations

import errno

from trainlint.analysis.tables.frameworks.packages import imports_with_torch
from trainlint.bounded import UnfitFile, read_beginning, read_bounded, reason_of
from trainlint.notebooks import is_notebook, most_bytes
from trainlint.source import UnreadableSource, decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.source import SourceFile

_TORCH_WORDS = (b"torch", b"lightning", b"accelerate")
TRAINING_WORDS = (*_TORCH_WORDS, b".backward(")
"""A file that holds none of these, and imports no package built on PyTorch, has no training code and gets no findings.
It may help a file that has."""
_USES_TENSOR = (b".item()", b".cpu()", b".cuda(", b".to(device")
"""What code does with tensors that other files give it."""


def read_bytes(path: Path, *, whole: bool = True) -> bytes:
    """The bytes of a source file, or the first ones of a large file that need not be `whole`.

    Raises UnreadableSource when the file cannot be read or is too large.
    """
    most = most_bytes(path.name)
    try:
        return read_bounded(path, most) if whole else read_beginning(path, most)
    except UnfitFile as error:
        if error.errno != errno.EFBIG:
            raise UnreadableSource(f"{error.strerror}; exclude it") from error
        raise UnreadableSource(too_large(path.name)) from error
    except OSError as error:
        raise UnreadableSource(
            f"it cannot be read ({reason_of(error)}); correct its permissions or exclude it"
        ) from error


def too_large(name: str) -> str:
    """Why a file of this name is not read, as a sentence."""
    instead = "clear its outputs or exclude it" if is_notebook(name) else "exclude it"
    return f"it is larger than {most_bytes(name) // 1_000_000} MB, the most that trainlint reads of one file; {instead}"


def read_code(path: Path) -> bytes:
    """The bytes of a file's code: of the file itself, or of the cells of a notebook. Raises UnreadableSource."""
    data = read_bytes(path)
    return code_of(decode_source(path.name, data)) if is_notebook(path.name) else data


def code_of(source: SourceFile) -> bytes:
    """The same of a text that is already read."""
    return source.encode(source.text)


def names_torch(data: bytes) -> bool:
    """Whether a file speaks of PyTorch, or of what is built on it."""
    return any(word in data for word in _TORCH_WORDS) or imports_with_torch(data)


def may_hold_findings(data: bytes, *, with_torch: bool = False) -> bool:
    """Whether a file has training code, so that rules could find anything in it. Others are only proved to be Python.

    `with_torch` says that the file imports one that has to do with PyTorch, or is imported by one: it may read or move
    tensors of that one.
    """
    words = (*TRAINING_WORDS, *_USES_TENSOR) if with_torch else TRAINING_WORDS
    return any(word in data for word in words) or imports_with_torch(data)
