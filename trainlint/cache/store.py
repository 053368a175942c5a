"""Results by key, and what files held when they were last read, in one SQLite file.

A cache that cannot be read is empty, and one that cannot be written stays as it is: nothing here raises.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path

from trainlint.cache.stamps import FileRecord, Stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any, TypeVar

    _Found = TypeVar("_Found")


_PARTS = attrgetter(*(part.name for part in fields(Stamp)))

MOST_BYTES = 256_000_000
"""Of a larger file, what was not used for the longest time is dropped. Two million lines of source, with what is known
of each file and what is wrong with it, fill a seventh of that; after each edit, one or two percent come to it."""
MOST_DAYS = 30
"""What was not used for so long is dropped."""
_ENOUGH = 0.7
"""To so much of MOST_BYTES a file is brought down that is too large."""
_DAY = 24 * 60 * 60
_STALE = 60 * 60
"""In seconds: how old the note of a last use may be before it is renewed. Renewing it at each run would make every
run write."""
_PATIENCE = 2.0
"""Seconds to wait for another process that writes."""
_AT_ONCE = 500
"""Questions in one statement; SQLite allows at least 999."""

_APPLICATION = 0x7472_6E6C
"""What SQLite's header names as the program that the file belongs to: "trnl"."""
_LAYOUT = 2
"""The number of the layout below. A file with another one is begun anew."""
_SCHEMA = {
    "seen": "CREATE TABLE seen (path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, inode INTEGER, ctime INTEGER, "
    "read INTEGER, digest BLOB) WITHOUT ROWID",
    "result": "CREATE TABLE result (key BLOB PRIMARY KEY, used INTEGER NOT NULL, mark BLOB NOT NULL, "
    "value BLOB NOT NULL)",
    "result_by_use": "CREATE INDEX result_by_use ON result (used)",
}
"""All that a file consists of, with the index that SQLite makes for the keys of results."""
_WHOLE_SCHEMA = {**_SCHEMA, "sqlite_autoindex_result_1": None}


@dataclass(frozen=True, slots=True)
class Result:
    """Something to keep."""

    key: bytes
    mark: bytes
    """What stands for the value where it is compared and not wanted itself."""
    value: bytes


class Store:
    """One file. It is opened when it is first asked, and begun anew where it is damaged or of another layout."""

    def __init__(self, file: Path, trouble: str = "") -> None:
        self.file = file
        self.trouble = trouble
        """Why it is of no use in this run, in SQLite's words; "" where it is."""
        self._connection: sqlite3.Connection | None = None
        self._aged: list[bytes] = []
        """Keys that were found, and whose note of a last use is to be renewed."""

    def seen(self, paths: Sequence[str]) -> dict[str, FileRecord]:
        """What is known of files, by their absolute paths."""
        question = "SELECT path, size, mtime, inode, ctime, read, digest FROM seen WHERE path IN"
        rows = self._rows(question, paths, (str, int, int, int, int, int, bytes))
        return {path: FileRecord(Stamp(*stamp), read, digest) for path, *stamp, read, digest in rows}

    def marks(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The marks of the results that are there."""
        return self._found("mark", keys)

    def values(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of the results that are there."""
        return self._found("value", keys)

    def write(self, seen: Mapping[str, FileRecord], results: Iterable[Result]) -> None:
        """Keep all of these, or none of them where the process is killed meanwhile, and drop what is old."""
        now = int(time.time())
        files = [(path, *_PARTS(item.stamp), item.read, item.digest) for path, item in seen.items()]
        kept = [(result.key, now, result.mark, result.value) for result in results]
        if not (files or kept or self._aged):
            return

        def all_at_once(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?, ?)", files)
            connection.executemany("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)", kept)
            connection.executemany("UPDATE result SET used = ? WHERE key = ?", [(now, key) for key in self._aged])
            connection.execute("DELETE FROM result WHERE used < ?", (now - MOST_DAYS * _DAY,))
            connection.execute("DELETE FROM seen WHERE read < ?", ((now - MOST_DAYS * _DAY) * 1_000_000_000,))
            _shrink(connection)
            connection.execute("COMMIT")

        self._query(all_at_once)
        self._aged.clear()

    def close(self) -> None:
        """Let go of the file until it is asked again. It must not be open while worker processes are started."""
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()  # what was not committed is rolled back
            self._connection = None

    def _found(self, column: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        question = f"SELECT key, used, {column} FROM result WHERE key IN"  # noqa: S608 - our own words
        rows = self._rows(question, keys, (bytes, int, bytes))
        old = time.time() - _STALE
        self._aged += [key for key, used, _ in rows if used < old]
        return {key: found for key, _, found in rows}

    def _rows(self, question: str, asked: Sequence[str] | Sequence[bytes], types: tuple[type, ...]) -> list[Any]:
        """The rows for what is asked. A damaged file may hold values of other types than were written into it."""

        def answers(connection: sqlite3.Connection) -> list[Any]:
            rows: list[Any] = []
            for start in range(0, len(asked), _AT_ONCE):
                some = asked[start : start + _AT_ONCE]
                rows += connection.execute(f"{question} ({','.join('?' * len(some))})", tuple(some))
            return [row for row in rows if tuple(map(type, row)) == types]

        if not asked or not self.file.exists():  # to ask must not make a file
            return []
        return self._query(answers) or []

    def _query(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found | None:
        """What comes of some work on the file; None where it fails, and then nothing is asked of the file any more."""
        if self.trouble:
            return None
        import sqlite3

        try:
            if self._connection is None:
                self._connection = _connected(self.file)
            return work(self._connection)
        except Exception as error:  # noqa: BLE001 - whatever a damaged file makes SQLite do, the run goes on without it
            self.close()
            self.trouble = str(error) or type(error).__name__
            if type(error) is sqlite3.DatabaseError:  # damaged; that it is locked, full or read-only has other types
                _delete(self.file)
            return None


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file of the present layout. Raises sqlite3.Error and OSError."""
    import sqlite3

    try:
        connection = _opened(file)
        if _is_ours(connection):
            return connection
        begun = _schema(connection) != {}
        if begun:
            connection.close()
    except sqlite3.OperationalError:  # locked, or not to be opened
        raise
    except sqlite3.DatabaseError:
        begun = True
    if begun:
        _delete(file)
        connection = _opened(file)
    connection.execute("BEGIN IMMEDIATE")
    if not _is_ours(connection):  # another process may just have done the same
        for statement in _SCHEMA.values():
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_LAYOUT}")
    connection.execute("COMMIT")
    return connection


def _opened(file: Path) -> sqlite3.Connection:
    import sqlite3

    connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)
    # A process that is killed leaves no damage; only if the whole machine stops the cache may be lost, and is rebuilt.
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Whether a file has the present layout and nothing else: no trigger, no view."""
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [layout] = connection.execute("PRAGMA user_version").fetchone()
    return (application, layout) == (_APPLICATION, _LAYOUT) and _schema(connection) == _WHOLE_SCHEMA


def _schema(connection: sqlite3.Connection) -> dict[str, str | None]:
    """The tables and what else a file declares, with their texts; of too many, only the first."""
    return dict(connection.execute("SELECT name, sql FROM sqlite_master LIMIT ?", (len(_WHOLE_SCHEMA) + 1,)))


def _shrink(connection: sqlite3.Connection) -> None:
    """Drop what was used longest ago, if the file is too large."""
    [pages], [free], [size] = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
    )
    taken = (pages - free) * size
    if taken <= MOST_BYTES:
        return
    dropped = []
    for key, length in connection.execute("SELECT key, length(value) FROM result ORDER BY used"):
        dropped.append((key,))
        taken -= length
        if taken <= _ENOUGH * MOST_BYTES:
            break
    connection.executemany("DELETE FROM result WHERE key = ?", dropped)


def _delete(file: Path) -> None:
    """Delete a file that is of no use, and its journal, which would be taken for that of the next one."""
    for path in (file, file.with_name(f"{file.name}-journal")):
        with suppress(OSError):
            path.unlink()
