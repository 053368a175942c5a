"""The result of summarising one file, as it passes between processes and through the cache."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.analysis.project.summary import Summary
    from trainlint.finding import Failure


class SummaryResult:
    """A summary that is packed and unpacked only when somebody asks. It goes to another process packed.

    Objects take twenty times the memory of the packed bytes, so a summary is unpacked only while its group is linked.
    """

    __slots__ = ("_digest", "_packed", "_summary", "failure", "given_up")

    def __init__(
        self,
        summary: Summary | None = None,
        failure: Failure | None = None,
        packed: bytes | None = None,
        digest: bytes | None = None,
        given_up: bool = False,
    ) -> None:
        """Where only the `packed` bytes of a summary or only its `digest` is known, that stands for it."""
        self._summary = summary
        self._packed = packed
        self._digest = digest
        self.failure = failure
        """That summarising took too long or ended its process. Always None for a context file."""
        self.given_up = given_up
        """The same, for context files as well."""

    @property
    def summary(self) -> Summary | None:
        """None where the file cannot be read or makes summarising crash: judging it meets the same and reports it.

        None also where the packed bytes are no summary.
        """
        if self._summary is None and self._packed is not None:
            from trainlint.cache.values import Unpackable, unpack

            try:
                self._summary = unpack(self._packed)
            except Unpackable:
                self._packed = None
        return self._summary

    def take(self) -> Summary | None:
        """Take the summary out. Nothing of it is kept here afterwards."""
        summary = self.summary
        self._summary = self._packed = None
        return summary

    def pack(self) -> bytes | None:
        """The summary as bytes; only these are kept from now on. None where it cannot be packed."""
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
    def digest(self) -> bytes:
        """The digest of the packed summary; empty where there is none."""
        if self._digest is None:
            from trainlint.cache.keys import digest

            self._digest = digest(self.packed) if self.packed is not None else b""
        return self._digest

    @property
    def is_at_hand(self) -> bool:
        """Whether more than the digest of a summary is known."""
        return self._summary is not None or self._packed is not None or not self._digest

    def __reduce__(self) -> tuple[Callable[..., SummaryResult], tuple[None, Failure | None, bytes | None, None, bool]]:
        """Pickled as packed bytes, in which equal parts are written once."""
        return SummaryResult, (None, self.failure, self.packed, None, self.given_up)
