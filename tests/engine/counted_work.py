"""Counts what a run does, in calls instead of seconds: a number that no busy machine changes."""

from __future__ import annotations

import ast
import gc
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import libcst

from trainlint.cli import main
from trainlint.packs import load_rules

_PARSERS = {ast.parse.__code__: "source", libcst.parse_module.__code__: "source"}
"""Functions whose texts are noted, and the argument that holds the text."""


class Work:
    """What was called."""

    def __init__(self) -> None:
        self.calls: Counter[CodeType] = Counter()
        """Python's functions, each time that one is entered or, if it is a generator, gone on with."""
        self.built_in: Counter[CodeType] = Counter()
        """Calls of functions written in C, by the function that makes them."""
        self.texts: dict[CodeType, Counter[str]] = {code: Counter() for code in _PARSERS}

    def of(self, function: Callable[..., Any]) -> int:
        """How often a function was called."""
        return self.calls[function.__code__]

    def parsed(self, parser: Callable[..., Any]) -> Counter[str]:
        """The texts that `ast.parse` or `libcst.parse_module` was given."""
        return self.texts[parser.__code__]

    @property
    def total(self) -> int:
        """All calls: how much was done."""
        return self.calls.total() + self.built_in.total()

    def by_place(self) -> Counter[str]:
        """All calls, by the function that is called or that calls a function written in C."""
        found: Counter[str] = Counter()
        for code, count in (*self.calls.items(), *self.built_in.items()):
            found[f"{Path(code.co_filename).name}: {code.co_name}"] += count
        return found

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """What `sys.setprofile` calls."""
        code = frame.f_code
        if event == "call":
            self.calls[code] += 1
            if code in _PARSERS:
                self.texts[code][str(frame.f_locals[_PARSERS[code]])] += 1
        elif event == "c_call":
            self.built_in[code] += 1


def counted(action: Callable[[], object]) -> Work:
    """What an action does. It is done once before, so that no import counts, nor what only the first calls do."""
    action()
    work = _counted(action)
    while work.of(load_rules):  # someone is editing the rules, and they were all imported anew
        work = _counted(action)
    return work


def _counted(action: Callable[[], object]) -> Work:
    work = Work()
    before = sys.getprofile()
    gc.collect()
    gc.disable()  # other tools have their own calls made when it runs
    sys.setprofile(work.note)
    try:
        action()
    finally:
        sys.setprofile(before)
        gc.enable()
    return work


_FIXED = ("--isolated", "--no-cache", "-j1", "--exit-zero", "-q")


def check(*arguments: str) -> dict[str, Any]:
    """The report of `trainlint check` in this process and the working directory, without a cache."""
    report = Path("report.json")
    code = main(["check", *_FIXED, "--output-format", "json", "-o", str(report), *arguments])
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    assert code == 0, found["failures"]
    return found


def judge(*arguments: str) -> None:
    """The same with a report for people, which has no ids: these need the statements of files with findings again."""
    assert main(["check", *_FIXED, "--output-format", "concise", "-o", "report.txt", *arguments]) == 0
