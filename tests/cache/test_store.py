"""Whatever happens to the file of a cache, nothing is raised, and what it says is what was written."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trainlint.cache import store as module
from trainlint.cache.keys import key
from trainlint.cache.store import Result, Store

ONE = Result(key("test", "one"), b"mark", b"value")
TWO = Result(key("test", "two"), b"", b"another value")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def kept(file: Path, *results: Result) -> Store:
    """A store after an earlier process has written."""
    first = Store(file)
    first.write({}, results)
    first.close()
    assert not first.trouble
    return Store(file)


def values(store: Store) -> dict[bytes, bytes]:
    return store.values([ONE.key, TWO.key])


def test_what_was_written_is_found(file: Path) -> None:
    store = kept(file, ONE, TWO)
    assert values(store) == {ONE.key: b"value", TWO.key: b"another value"}
    assert store.marks([TWO.key, ONE.key, key("test", "three")]) == {ONE.key: b"mark", TWO.key: b""}
    assert Store(file).values([]) == {}


def test_thousands_of_keys_are_asked_at_once(file: Path) -> None:
    results = [Result(key("test", str(number)), b"", str(number).encode()) for number in range(3_000)]
    found = kept(file, *results).values([result.key for result in results])
    assert found == {result.key: result.value for result in results}


def test_a_later_value_replaces_an_earlier_one(file: Path) -> None:
    kept(file, ONE)
    assert values(kept(file, Result(ONE.key, b"", b"new"))) == {ONE.key: b"new"}


@pytest.mark.parametrize(
    "content", [b"", b"no database\n" * 1_000, b"SQLite format 3\0" + b"\xff" * 5_000], ids=["empty", "text", "torn"]
)
def test_garbage_is_begun_anew(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    store = Store(file)
    assert values(store) == {}
    assert values(kept(file, ONE)) == {ONE.key: b"value"}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_of_no_harm(file: Path, share: float) -> None:
    results = [Result(key("test", str(number)), b"", os.urandom(2_000)) for number in range(200)]
    kept(file, *results)
    os.truncate(file, int(file.stat().st_size * share))
    found = Store(file).values([result.key for result in results])
    assert found.items() <= {result.key: result.value for result in results}.items()
    Store(file).values([result.key for result in results])  # whoever meets the damage deletes the file
    assert values(kept(file, ONE)) == {ONE.key: b"value"}


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 7", "PRAGMA application_id = 7", "DROP TABLE result"])
def test_a_file_of_another_layout_is_not_believed(file: Path, statement: str) -> None:
    kept(file, ONE)
    connection = sqlite3.connect(file)
    connection.execute(statement)
    connection.commit()
    connection.close()
    assert values(Store(file)) == {}


def test_rows_of_strange_types_are_of_no_harm(file: Path) -> None:
    kept(file, ONE)
    connection = sqlite3.connect(file)
    connection.execute("UPDATE result SET used = 'yesterday'")
    connection.commit()
    connection.close()
    store = Store(file)
    assert values(store) == {}
    store.write({}, [ONE])
    assert values(store) == {ONE.key: b"value"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_only_be_read_is_read(file: Path) -> None:
    kept(file, ONE)
    file.chmod(0o400)
    file.parent.chmod(0o500)
    try:
        store = Store(file)
        assert values(store) == {ONE.key: b"value"}
        store.write({}, [TWO])
        assert store.trouble
        assert values(Store(file)) == {ONE.key: b"value"}
    finally:
        file.parent.chmod(0o700)


def test_a_directory_that_is_gone_is_of_no_harm(tmp_path: Path) -> None:
    store = Store(tmp_path / "gone/results.sqlite")
    store.write({}, [ONE])
    assert values(store) == {}
    assert store.trouble


def test_a_full_disk_is_of_no_harm(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit on pages raises what a full disk raises."""
    kept(file, ONE)
    opened = module._opened

    def small(path: Path) -> sqlite3.Connection:
        connection = opened(path)
        connection.execute("PRAGMA max_page_count = 10")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(module, "_opened", small)
        store = Store(file)
        store.write({}, [Result(key("test", "large"), b"", bytes(10_000_000))])
        assert "full" in store.trouble
    assert values(Store(file)) == {ONE.key: b"value"}


def test_a_file_that_is_locked_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(file, ONE)
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    store = Store(file)
    assert values(store) == {}
    assert "locked" in store.trouble
    holder.execute("ROLLBACK")
    holder.close()
    assert values(Store(file)) == {ONE.key: b"value"}


WRITER = """\
import sys
from pathlib import Path
from trainlint.cache.keys import key
from trainlint.cache.store import Result, Store

name, rounds = sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    store = Store(Path(sys.argv[1]))
    store.write({}, [Result(key(name, str(number), str(each)), b"", name.encode() * 1_000) for each in range(20)])
    print(store.trouble or "written", flush=True)
    store.close()
"""


def writer(file: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), name, str(rounds)], stdout=subprocess.PIPE, text=True
    )


def keys_of(name: str, number: int) -> list[bytes]:
    return [key(name, str(number), str(each)) for each in range(20)]


def test_two_processes_write_at_once(file: Path) -> None:
    """Neither disturbs the other, though both begin with a file that is not there."""
    both = {name: writer(file, name, 15) for name in ("one", "two")}
    said = {name: process.communicate(timeout=120)[0].split() for name, process in both.items()}
    assert said == {"one": ["written"] * 15, "two": ["written"] * 15}
    store = Store(file)
    for name in both:
        for number in range(15):
            assert store.values(keys_of(name, number)) == dict.fromkeys(keys_of(name, number), name.encode() * 1_000)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_a_process_that_is_killed_while_it_writes_leaves_whole_results(file: Path) -> None:
    for after in (3, 5, 8):
        process = writer(file, f"after {after}", 10_000)
        assert process.stdout is not None
        for _ in range(after):
            assert process.stdout.readline() == "written\n"
        process.kill()
        process.communicate()
        store = Store(file)
        for number in range(after):
            assert len(store.values(keys_of(f"after {after}", number))) == 20
        unfinished = store.values(keys_of(f"after {after}", after))
        assert len(unfinished) in (0, 20)
        assert not store.trouble
        store.close()


def test_what_is_not_used_for_a_month_is_dropped(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    kept(file, ONE, TWO)
    with monkeypatch.context() as patch:
        patch.setattr("trainlint.cache.store.time.time", lambda: now + 20 * 24 * 3_600)
        store = Store(file)
        assert store.marks([ONE.key])
        store.write({}, [])
        store.close()
    with monkeypatch.context() as patch:
        patch.setattr("trainlint.cache.store.time.time", lambda: now + 35 * 24 * 3_600)
        store = Store(file)
        store.write({}, [Result(key("test", "three"), b"", b"")])
    assert set(values(Store(file))) == {ONE.key}


def test_a_large_file_loses_what_was_used_longest_ago(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1_000_000)
    now = time.time()
    keys = []
    for hour in range(40):
        monkeypatch.setattr("trainlint.cache.store.time.time", lambda then=now + hour * 3_600: then)
        keys.append(key("test", str(hour)))
        kept(file, Result(keys[-1], b"", os.urandom(100_000)))
    found = [Store(file).values([name]) != {} for name in keys]
    assert found[-5:] == [True] * 5
    assert not any(found[:25])
    assert file.stat().st_size < 1_500_000
