"""A file's bytes: how they are read, and the gate that spares most work on files that cannot hold a finding."""

from __future__ import annotations

from trainlint.source import UnreadableSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

SIZE_LIMIT = 5_000_000
"""In bytes. Source that people write is far smaller; a larger file is data, and judging it could take minutes."""

TRAINING_WORDS = (b"torch", b"lightning", b"accelerate", b".backward(")
"""A file that holds none of these neither trains nor helps to."""


def read_bytes(path: Path, *, whole: bool = True) -> bytes:
    """The bytes of a source file, or the first ones of a large file that need not be `whole`.

    Raises UnreadableSource when the file cannot be read, is too large, or holds another language.
    """
    if path.suffix == ".ipynb":
        raise UnreadableSource("it is a notebook, which trainlint does not read; export it as a script")
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise UnreadableSource(f"it cannot be read ({words}); correct its permissions or exclude it") from error
    if whole and len(data) > SIZE_LIMIT:
        raise UnreadableSource(
            f"it is larger than {SIZE_LIMIT // 1_000_000} MB, the most that trainlint reads of one file; exclude it"
        )
    return data


def may_hold_findings(data: bytes) -> bool:
    """Whether rules could find anything in a file at all. Others are only proved to be Python."""
    return any(trigger in data for trigger in TRAINING_WORDS)
