"""The rules that the tests here judge with: every one in `rules/trainlint_rules`, found as the engine finds them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pkgutil import walk_packages

import trainlint_rules
from trainlint.config import Config, select
from trainlint.config.torch_range import TorchRange
from trainlint.engine.judge import Verdicts, judge
from trainlint.engine.parsing import parse
from trainlint.finding import NOTHING_EXECUTED, Failure
from trainlint.interpreter.frequencies import frequencies_by_file
from trainlint.interpreter.operations import execute_project
from trainlint.rule import Rule
from trainlint.source import SourceFile, source_from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule

_WALKED = list(walk_packages(trainlint_rules.__path__, "trainlint_rules."))
PACKAGES = tuple(found.name for found in _WALKED if found.ispkg)
IDIOMS = tuple(found.name for found in _WALKED if not found.ispkg and ".idioms." in found.name)
"""Recognisers that the rules of one topic share."""
MODULES = tuple(found.name for found in _WALKED if not found.ispkg and found.name not in IDIOMS)
DEFAULT = Config()
_STATED = (2, 5)
STATED = replace(DEFAULT, target_torch=TorchRange(_STATED))
"""Of a project that states its PyTorch. Without that, fixes with names that PyTorch 1.0 lacks are unsafe, and old names
are no default findings."""
_NEWER = {"TRN532": (2, 8)}
"""Rules without such fixes that find something only in newer versions."""


def rules_in(module: str) -> list[type[Rule]]:
    """The rules that a module defines."""
    found = vars(importlib.import_module(module)).values()
    return [
        value
        for value in found
        if inspect.isclass(value)
        and issubclass(value, Rule)
        and value.__module__ == module
        and "manual" in vars(value)  # bases that rules share have no page
    ]


@cache
def all_rules() -> tuple[type[Rule], ...]:
    """Every rule, sorted by code. A module that does not import fails in a test of its own and hides no other."""
    rules: list[type[Rule]] = []
    for module in MODULES:
        try:
            rules += rules_in(module)
        except Exception:  # noqa: BLE001  # test_pages imports each module by itself and shows what it raises
            continue
    return tuple(sorted(rules, key=lambda rule: rule.code))


def stated_for(rule: type[Rule]) -> Config:
    """The configuration of a project whose PyTorch has all that a rule asks for."""
    needs = getattr(rule, "fix_needs", None) or _NEWER.get(rule.code, _STATED)
    return replace(STATED, target_torch=TorchRange(max(needs, _STATED)))


def judged(text: str, *rules: type[Rule], path: str = "train.py", config: Config = STATED) -> Verdicts:
    """What the given rules, or all that are on by default, say of a text, by default of a project with PyTorch 2.5."""
    chosen = tuple(rule() for rule in rules) or select([rule() for rule in all_rules()], config)
    return judged_source(source(text, path), chosen, config)


def judged_source(read: SourceFile, rules: Sequence[InstalledRule], config: Config = STATED) -> Verdicts:
    """What some rules say of a file alone, as the engine would ask them."""
    tree = parse(read)
    if isinstance(tree, Failure):
        return judge(read, rules, config, known=all_rules())
    done = execute_project([(read.path, tree)])
    operations = done.operations.get(read.path, ())
    frequencies = frequencies_by_file(done.visits, lambda link: link).get(read.path, NOTHING_EXECUTED)
    return judge(read, rules, config, known=all_rules(), operations=operations, frequencies=frequencies)


def source(text: str, path: str = "train.py") -> SourceFile:
    """A text as the engine would read it from `path`."""
    return source_from_text(path, text)
