"""Watches a rule at work: which of its lines ran, with which values, and what they called in its own module."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from trainlint.rule import Rule

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.finding import Finding


@dataclass(slots=True, eq=False)
class Step:
    """A line that ran."""

    line: int
    names: Mapping[str, object]
    """Local names and their values when it began."""
    inner: list[Run] = field(default_factory=list)
    """The functions of the rule's own module that it called."""


@dataclass(slots=True, eq=False)
class Run:
    """One call of a function in the rule's module; for a generator, up to where it was left."""

    function: str
    file: str
    names: Mapping[str, object]
    """The module's names."""
    steps: list[Step] = field(default_factory=list)
    returned: object = None


@dataclass(slots=True, eq=False)
class Watched:
    """What a rule did at one place."""

    findings: tuple[Finding, ...]
    run: Run | None
    """The run of `check`; None for a rule that has no lines of its own, such as one that is compiled."""
    error: Exception | None = None

    @property
    def is_silent(self) -> bool:
        """Whether the rule found nothing, and did not crash."""
        return not self.findings and self.error is None


def ask(rule: Rule, site: Site) -> Watched:
    """Ask a rule that itself says why it is silent."""
    try:
        return Watched(tuple(rule.check(site)), None)
    except Exception as crash:  # noqa: BLE001  # told to the user, as in a run
        return Watched((), None, crash)


def watch(rule: Rule, site: Site) -> Watched:
    """Ask a rule about a place, and remember how it came to its answer. The rule's crash is an answer, too."""
    recorder = _Recorder(_files(type(rule)))
    findings: list[Finding] = []
    error: Exception | None = None
    with _tracing(recorder.called):
        try:
            findings.extend(rule.check(site))
        except Exception as crash:  # noqa: BLE001  # told to the user, as in a run
            error = crash
    return Watched(tuple(findings), recorder.outermost, error)


def _files(rule: type[Rule]) -> frozenset[str]:
    """The files that the rule's class and its bases below Rule are written in."""
    modules = (sys.modules.get(cls.__module__) for cls in rule.__mro__ if issubclass(cls, Rule) and cls is not Rule)
    return frozenset(file for module in modules if (file := getattr(module, "__file__", None)))


@contextmanager
def _tracing(called: Callable[[FrameType, str, Any], Any]) -> Iterator[None]:
    """Hear of every call; a debugger or a coverage measurement that listened before listens again afterwards."""
    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


@dataclass(slots=True, eq=False)
class _Recorder:
    files: frozenset[str]
    outermost: Run | None = None
    _runs: dict[FrameType, Run] = field(default_factory=dict)

    def called(self, frame: FrameType, event: str, argument: object) -> Callable[[FrameType, str, Any], Any] | None:
        """A function is called, or a generator goes on: only those of the rule are looked at line by line."""
        code = frame.f_code
        if code.co_filename not in self.files or code.co_name.startswith("<"):  # comprehensions and lambdas
            return None
        run = self._runs.get(frame)
        if run is None:
            run = self._runs[frame] = Run(code.co_name, code.co_filename, frame.f_globals)
            self.outermost = self.outermost or run
        caller = self._caller(frame)
        if caller is not None and caller.steps and run not in caller.steps[-1].inner:
            caller.steps[-1].inner.append(run)
        return self._within

    def _within(self, frame: FrameType, event: str, argument: object) -> Callable[[FrameType, str, Any], Any]:
        run = self._runs[frame]
        if event == "line":
            run.steps.append(Step(frame.f_lineno, dict(frame.f_locals)))
        elif event == "return":
            run.returned = argument
        return self._within

    def _caller(self, frame: FrameType) -> Run | None:
        outer = frame.f_back
        while outer is not None:
            if outer in self._runs:
                return self._runs[outer]
            outer = outer.f_back
        return None
