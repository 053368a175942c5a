"""A cache as a run uses it: results are looked up, new ones are collected, and all are written when the run is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:  # hashing, JSON and SQLite take 5 ms to import, and small runs do not ask the cache
    from typing import Any, TypeVar

    from trainlint.cache.stamps import Contents
    from trainlint.cache.store import Result, Store

    _Name = TypeVar("_Name")


@dataclass(slots=True)
class Recalled:
    """How much of a run was known before."""

    whole: bool = False
    """Nothing had changed: the run as such was kept."""
    summaries: tuple[int, int] = (0, 0)
    """How many were known, of how many."""
    outcomes: tuple[int, int] = (0, 0)


class Cache:
    """Nothing is opened before it is asked. Where the directory cannot be used, nothing is found and nothing kept."""

    def __init__(self, locate: Callable[[], Path], fingerprint: str) -> None:
        self.locate = locate
        """Gives the directory. Raises Unusable where there is none that can be trusted. It is asked once at most."""
        self.fingerprint = fingerprint
        """What results depend on besides the files and their configuration."""
        self.recalled = Recalled()
        self.directory: Path | None = None
        """None until it was needed, and where there is none."""
        self._store: Store | None = None
        self._contents: Contents | None = None
        self._new: list[tuple[Result, str | None]] = []
        """Results of this run, and the file that each depends on; None where it depends on all of them."""

    @property
    def trouble(self) -> str:
        """Why the cache was of no use in this run; "" where it was, or was not asked."""
        return self._store.trouble if self._store is not None else ""

    @property
    def store(self) -> Store:
        """What was kept."""
        if self._store is None:
            from trainlint.cache.place import usable
            from trainlint.cache.store import Store
            from trainlint.user_cache import Unusable

            try:
                self.directory = self.locate()
                self._store = Store(usable(self.directory))
            except Unusable as error:
                self._store = Store(Path(), trouble=str(error))
        return self._store

    @property
    def contents(self) -> Contents:
        """What files hold."""
        if self._contents is None:
            from trainlint.cache.stamps import Contents

            self._contents = Contents(self.store)
        return self._contents

    def key(self, sort: str, *facts: str | bytes) -> bytes:
        """The key of a result of this version of trainlint that depends on these facts and on no others."""
        from trainlint.cache.keys import key

        return key(sort, self.fingerprint, *facts)

    def key_of_file(self, sort: str, path: Path, *facts: str) -> bytes | None:
        """The key of a result that depends on what a file holds, and on these facts; None for an unreadable file.

        The file was looked at before.
        """
        held = self.contents.digest(str(path))
        return self.key(sort, held, *facts) if held is not None else None

    def get(self, keys: Mapping[_Name, bytes | None]) -> dict[_Name, Any]:
        """Those of the results that are there, by the names that their keys are given here."""
        from trainlint.cache.values import Unpackable, unpack

        values = self.store.values([name for name in keys.values() if name is not None])
        found: dict[_Name, Any] = {}
        for name, wanted in keys.items():
            if wanted in values:
                try:
                    found[name] = unpack(values[wanted])
                except Unpackable:  # damaged, or not written by us
                    continue
        return found

    def keep(self, name: bytes | None, value: object, path: Path | None = None) -> None:
        """Keep a result when the run is over, if what it depends on is the same then: a file, or else all files."""
        if name is not None:
            from trainlint.cache.values import Unpackable, pack

            try:
                self.keep_packed(name, pack(value), b"", path)
            except Unpackable:
                return

    def keep_packed(self, name: bytes, data: bytes, mark: bytes, path: Path | None = None) -> None:
        """The same for a result that is packed already, with its mark."""
        from trainlint.cache.store import Result

        self._new.append((Result(name, mark, data), str(path) if path is not None else None))

    def rest(self) -> None:
        """Let go of the file while other processes are started."""
        if self._store is not None:
            self._store.close()

    def save(self) -> None:
        """Write what is new, and what was read of files, and forget it. Before that, no directory is made."""
        if self._contents is None or self.directory is None or self.trouble:
            return
        from trainlint.cache.place import prepare
        from trainlint.user_cache import Unusable

        looked_at = list(self._contents.found)
        same = self._contents.unchanged(looked_at) if self._new else set[str]()
        all_same = len(same) == len(looked_at)
        results = [result for result, path in self._new if (all_same if path is None else path in same)]
        try:
            prepare(self.directory)
        except Unusable as error:
            self.store.trouble = str(error)
        self.store.write(self._contents.new, results)
        self.rest()
        self._new.clear()
        self._contents.new.clear()
