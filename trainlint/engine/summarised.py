"""What summarising one file gave, on its way between processes and into the cache and out of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.analysis.project.summary import Summary
    from trainlint.finding import Failure


class Summarised:
    """A summary, packed and unpacked only when somebody asks. What goes to another process is packed, too.

    Objects take twenty times the memory of the packed bytes, so a summary is unpacked for its group alone.
    """

    __slots__ = ("_mark", "_packed", "_summary", "failure")

    def __init__(
        self,
        summary: Summary | None = None,
        failure: Failure | None = None,
        packed: bytes | None = None,
        mark: bytes | None = None,
    ) -> None:
        """Where a summary is `packed` already, or only its `mark` is known, that stands for it."""
        self._summary = summary
        self._packed = packed
        self._mark = mark
        self.failure = failure
        """That summarising took too long, or ended its process. Of a neighbour nobody asked."""

    @property
    def summary(self) -> Summary | None:
        """None where the file cannot be read or makes summarising crash: judging it meets the same and reports it.

        None also where what was kept is no summary.
        """
        if self._summary is None and self._packed is not None:
            from trainlint.cache.values import Unpackable, unpack

            try:
                self._summary = unpack(self._packed)
            except Unpackable:
                self._packed = None
        return self._summary

    def take(self) -> Summary | None:
        """Hand the summary out, once. It is not kept here any more, in no form."""
        summary = self.summary
        self._summary = self._packed = None
        return summary

    def pack(self) -> bytes | None:
        """The summary as bytes, as which alone it is kept from now on; None where it cannot be packed."""
        from trainlint.cache.values import Unpackable

        try:
            packed = self.packed
        except Unpackable:
            return None
        self._summary = None
        return packed

    @property
    def packed(self) -> bytes | None:
        """The summary as bytes; None where there is none, or where it is too large to be passed on."""
        if self._packed is None and self._summary is not None:
            from trainlint.cache.values import Unpackable, pack  # not for a file that is judged alone

            with suppress(Unpackable):
                self._packed = pack(self._summary)
        return self._packed

    @property
    def mark(self) -> bytes:
        """What stands for the summary; nothing where there is none."""
        if self._mark is None:
            from trainlint.cache.keys import digest

            self._mark = digest(self.packed) if self.packed is not None else b""
        return self._mark

    @property
    def is_at_hand(self) -> bool:
        """Whether there is more of the summary than its mark."""
        return self._summary is not None or self._packed is not None or not self._mark

    def __reduce__(self) -> tuple[Callable[..., Summarised], tuple[None, Failure | None, bytes | None]]:
        """Packed: equal parts are written once."""
        return Summarised, (None, self.failure, self.packed)
