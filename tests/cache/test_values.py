"""Results survive being packed, and bytes from anywhere else make nothing but plain data."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.engine.linked_project import FILES
from trainlint.cache.marks import mark
from trainlint.cache.values import Unpackable, pack, unpack
from trainlint.config import Config
from trainlint.engine.parsing import parse
from trainlint.engine.work import Outcome
from trainlint.finding import Edit, Failure, Finding, Fix, Heat, Safety, Severity, Span
from trainlint.linking.link import link
from trainlint.linking.summarise import summarise
from trainlint.linking.summary import Summary
from trainlint.model.file_model import FileModel
from trainlint.source import source_from_text

FINDING = Finding(
    "TRN201",
    "item-in-training-step",
    "pkg/utils.py",
    Span(5, 17, 5, 28),
    "…",
    Severity.WARNING,
    Heat.STEP,
    0.9,
    ("train.py:7: for inputs, targets in loader",),
    Fix("Write it", (Edit(3, 5, "loss"),), Safety.NUMERICS),
)


def summaries() -> list[Summary]:
    found = []
    for name, text in FILES.items():
        source = source_from_text(name, text)
        tree = parse(source)
        assert not isinstance(tree, Failure)
        found.append(summarise(FileModel(source, tree, Config())))
    return found


def test_outcomes_survive() -> None:
    outcome = Outcome((FINDING,), (Failure("a.py", "broken", "TRN001", lasting=True),), suppressed=3)
    assert unpack(pack(outcome)) == outcome


def test_summaries_survive_and_what_files_are_told() -> None:
    found = summaries()
    assert unpack(pack(found)) == found
    paths = [Path("/project", name) for name in FILES]
    told = link(found, paths, [0] * len(paths))
    assert unpack(pack(told)) == told
    again = link(unpack(pack(found)), paths, [0] * len(paths))
    assert [mark(each) for each in again] == [mark(each) for each in told]


def test_marks_tell_values_apart() -> None:
    values = [None, 0, False, "", "0", b"", (), ("a", "b"), ("a,b",), {"a": 1}, {"a": "1"}, frozenset({1}), FINDING]
    assert len({mark(value) for value in values}) == len(values)
    assert mark(FINDING) == mark(unpack(pack(FINDING)))
    assert mark(frozenset({"a", "b", "c"})) == mark(frozenset({"c", "b", "a"}))
    with pytest.raises(TypeError):
        mark(object())


BYTES_OF_SUMMARIES = """\
from tests.cache.test_values import summaries
from trainlint.cache.keys import digest
from trainlint.cache.values import pack
print([digest(pack(each)).hex() for each in summaries()])
"""


def test_a_summary_is_the_same_bytes_in_every_process() -> None:
    """Where it were not, an edit that tells others nothing new would make all be linked again."""
    said = {
        subprocess.run(
            [sys.executable, "-c", BYTES_OF_SUMMARIES],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


class Evil:
    """What an attacker would write into a cache that comes with a repository."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo taken over",)


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(Evil()),
        b"cos\nsystem\n(S'echo taken over'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"ctrainlint.finding\ndataclass\n.",  # a function that a module of results has imported
        b"\x80\x04\x8c\x11trainlint.finding\x8c\x16Finding.__init__.__globals__\x93.",
        b"ctrainlint.__main__\nmain\n.",
        b"ctrainlint.fixing.write\nwrite_atomically\n.",
        b"",
        b"garbage",
    ],
)
def test_nothing_is_run_that_stands_in_a_cache(data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    for found in (zlib.compress(data), data):
        with pytest.raises(Unpackable):
            unpack(found)
    assert not any(capfd.readouterr())


def test_what_is_no_plain_data_is_not_packed() -> None:
    with pytest.raises(Unpackable):
        pack(lambda: None)
