"""A file as one of those that are linked with each other."""

from __future__ import annotations

from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.records import dataclass
from trainlint.source import UnreadableSource, decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.config import Config
    from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class Member:
    """A file that takes part in linking."""

    path: Path
    shown: str
    size: int
    config: Config
    text: SourceFile | None = None
    """What counts in place of the file on disk, as an editor sends it."""
    judged: bool = True
    """False for a neighbour, which only tells the files of the run something."""
    group: int = 0
    names_device: bool = False
    """Whether it, or a file that it works together with, names a device."""

    def data(self) -> bytes:
        """Its bytes. Raises UnreadableSource."""
        return self.text.encode(self.text.text) if self.text is not None else read_bytes(self.path)

    def source(self) -> SourceFile:
        """Its text. Raises UnreadableSource."""
        return self.text or decode_source(self.shown, read_bytes(self.path))


def may_tell(member: Member) -> bool:
    """Whether a file can hold findings, and so its neighbours have something to tell it."""
    try:
        return may_hold_findings(member.data())
    except UnreadableSource:
        return False
