"""Results survive being packed, and bytes from anywhere else make nothing but plain data."""

from __future__ import annotations

import importlib
import os
import pickle
import re
import subprocess
import sys
import zlib
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given, strategies

from tests.engine.linked_project import FILES
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.summarise import summarise
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.cache import values
from trainlint.cache.kinds import CLASSES
from trainlint.cache.values import Unpackable, pack, unpack, value_digest
from trainlint.config import Config
from trainlint.engine.index.summary_result import SummaryResult
from trainlint.engine.parsing import parse
from trainlint.engine.work import Outcome
from trainlint.finding import Confidence, Edit, Failure, Finding, Fix, Heat, Safety, Severity, Span
from trainlint.source import source_from_text

FINDING = Finding(
    "TRN201",
    "item-in-training-step",
    "pkg/utils.py",
    Span(5, 17, 5, 28),
    "…",
    Severity.WARNING,
    Heat.STEP,
    Confidence.LIKELY,
    ("train.py:7: for inputs, targets in loader",),
    Fix("Write it", (Edit(3, 5, "loss"),), Safety.NUMERICS),
)


def summaries() -> list[Summary]:
    found = []
    for name, text in FILES.items():
        source = source_from_text(name, text)
        tree = parse(source)
        assert not isinstance(tree, Failure)
        found.append(summarise(SemanticModel(source, tree, Config())))
    return found


def test_outcomes_survive() -> None:
    outcome = Outcome((FINDING,), (Failure("a.py", "broken", "TRN001", lasting=True),), suppressed=3)
    assert unpack(pack(outcome)) == outcome


def test_summaries_survive_and_what_files_are_told() -> None:
    found = summaries()
    assert unpack(pack(found)) == found
    paths = [Path("/project", name) for name in FILES]
    told = link(found, paths)
    assert unpack(pack(told)) == told
    again = link(unpack(pack(found)), paths)
    assert [value_digest(each) for each in again] == [value_digest(each) for each in told]


def test_marks_tell_values_apart() -> None:
    found = [None, 0, False, "", "0", b"", (), ("a", "b"), ("a,b",), {"a": 1}, {"a": "1"}, frozenset({1}), FINDING]
    assert len({value_digest(value) for value in found}) == len(found)
    assert value_digest(FINDING) == value_digest(unpack(pack(FINDING)))
    assert value_digest(frozenset({"a", "b", "c"})) == value_digest(frozenset({"c", "b", "a"}))
    with pytest.raises(Unpackable):
        value_digest(object())


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
        for seed in ("1", "2")
    }
    assert len(said) == 1


class Evil:
    """What an attacker would write into a cache."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo taken over",)


def written(text: str) -> bytes:
    return zlib.compress(text.encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        pickle.dumps(Evil()),
        zlib.compress(pickle.dumps(Evil())),
        b"cos\nsystem\n(S'echo taken over'\ntR.",
        zlib.compress(b"\xff\xfe"),
        pack(FINDING)[:-1],
        written('[["os.system"],["echo taken over",[0,0]]]'),
        written('[["system"],["echo taken over",[0,0]]]'),
        written('[["eval"],["1",[0,0]]]'),
        written('[["trainlint.history.git.Blob"],["a",[0,0,0]]]'),
        written("[[],[]]"),
        written("[[]]"),
        written("{}"),
        written("[" * 100_000),
        written('[["tuple"],["a",[0,1]]]'),
        written('[["tuple"],["a",[0,2],"b"]]'),
        written('[["tuple"],["a",[0,-1]]]'),
        written('[["tuple"],["a",[-1,0]]]'),
        written('[["tuple"],["a",[]]]'),
        written('[["tuple"],["a",["0",0]]]'),
        written('[["dict"],["a",[0,0]]]'),
        written('[["frozenset","list"],[[1],[0,0]]]'),
        written('[["Severity"],[99,[0,0]]]'),
        written('[["Span"],[1,[0,0,0,0]]]'),
        written('[["Span"],[1,[0,0,0,0,0,0]]]'),
        written('[["Span"],[1,"2",[0,0,0,0,1]]]'),
        written('[["Edit"],[1,true,"x",[0,0,1,2]]]'),
        written('[["Shape"],[1,[0,0]]]'),
    ],
)
def test_other_bytes_are_no_result(data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unpackable):
        unpack(data)
    assert not any(capfd.readouterr())


def test_what_is_no_plain_data_is_not_packed() -> None:
    for value in (lambda: None, [object()], Path("a")):
        with pytest.raises(Unpackable):
            pack(value)


def test_a_small_file_does_not_fill_the_memory() -> None:
    bomb = zlib.compress(b" " * (values.MOST_BYTES + 1))
    assert len(bomb) < 100_000
    with pytest.raises(Unpackable, match="no end"):
        unpack(bomb)


def test_a_result_beyond_that_is_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_BYTES", 100)
    with pytest.raises(Unpackable, match="more than 100 bytes"):
        pack("x" * 100)
    assert SummaryResult(summaries()[1]).packed is None


@given(place=strategies.integers(0), byte=strategies.integers(1, 255))
def test_a_flipped_byte_never_gives_another_result(place: int, byte: int) -> None:
    data = bytearray(pack(FINDING))
    data[place % len(data)] ^= byte
    try:
        found = unpack(bytes(data))
    except Unpackable:
        return
    assert found == FINDING  # some bits of the header of a compressed text mean nothing


PLAIN = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text() | strategies.binary(),
    lambda parts: strategies.lists(parts).map(tuple) | strategies.dictionaries(strategies.text(), parts),
)


@given(PLAIN)
def test_plain_data_survives_with_its_types(value: object) -> None:
    assert repr(unpack(pack(value))) == repr(value)


def test_every_class_of_a_result_is_known() -> None:
    """A class that is missing from the table would make each result that holds one be thrown away."""
    never_kept = {"Certainty", "Compared", "Mapping", "Measured", "None", "Rewrite", "Sequence", "FactsByFunction"}
    for name, module in CLASSES.items():
        kind = getattr(importlib.import_module(module), name)
        assert kind.__module__ == module
        if not issubclass(kind, Enum):
            named = set(re.findall(r"[A-Z]\w*", " ".join(map(str, kind.__annotations__.values()))))
            assert named - {"ForwardRef"} <= CLASSES.keys() | never_kept, name
