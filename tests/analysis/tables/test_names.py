"""Each name of a library stands in one table, and the rest of the analysis and the rules ask for it."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache

import pytest

from tests.analysis.tables.source_names import ROOT, names_of, source_files, tables
from trainlint.analysis.tables.waits.device_copies import MOVES

WORDS = {
    "iter range list tuple filter": "built-ins that rules also ask about for what they read, hold or count to",
    "count head repeat track prefetch": "also methods of tensors and loggers, and parts of people's own names",
    "prepare setup initialize": "also hooks of frameworks, and parts of people's own names",
    "cpu numpy": "also a device and a package",
    "reduce gather scatter": "also methods of tensors, and an argument of losses",
}
"""Names that mean other things as well, so that a string of one says nothing."""
EXCEPTIONS = {
    ("trainlint/analysis/programs/fact_names.py", "FSDP"): "a part of other names, such as FSDPStrategy",
    ("trainlint/analysis/tables/common_names.py", "tqdm"): "the package",
    ("trainlint/analysis/tables/fact_kinds.py", "autocast"): "the value of an enumeration",
    ("trainlint/analysis/effects/parameter_loops.py", "zip"): "pairs the parameters of two lists, as nothing else does",
    ("rules/trainlint_rules/compute/backward_inside_autocast.py", "autocast"): "Accelerate's method of that name",
    ("rules/trainlint_rules/sync/data_dependent_shape_in_step.py", "unique"): "for counts of it there is other help",
    ("rules/trainlint_rules/distributed/idioms/collectives/barriers.py", "barrier"): "what the rule is about",
    ("rules/trainlint_rules/distributed/barrier_in_step.py", "barrier"): "what the rule is about",
    ("rules/trainlint_rules/distributed/barrier_in_step.py", "wait_for_everyone"): "what the rule is about",
}
OF_OLD_NAMES = (
    "trainlint/analysis/tables/versions/deprecations.py",
    "trainlint/analysis/tables/versions/deprecated_families.py",
)
"""Its rows are about a name that is replaced by another; neither says how the name is used."""

OF_OPERATORS = "trainlint/analysis/tables/waits/operators.py"
"""Its rows are operators of ATen, which have names of their own: some are those of functions."""


def _names() -> list[str]:
    return [name for table in tables().values() for name in table.NAMES]


@cache
def _known() -> frozenset[str]:
    return frozenset(_names())


def _words() -> set[str]:
    return {word for words in WORDS for word in words.split()}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def _found(module: str) -> list[tuple[int, str]]:
    return list(names_of(_tree(module), _known()))


MODULES = [path.relative_to(ROOT).as_posix() for path in source_files()]


def test_no_name_stands_in_two_rows() -> None:
    assert [name for name, times in Counter(_names()).items() if times > 1] == []


def test_no_other_module_has_a_list_or_pattern_of_these_names() -> None:
    words = _words()
    found = [
        f"{module}:{line} has {name!r}: ask the table in trainlint/analysis/tables that has this name"
        for module in MODULES
        for line, name in _found(module)
        if module not in (*OF_OLD_NAMES, OF_OPERATORS) and name not in words and (module, name) not in EXCEPTIONS
    ]
    assert not found, "\n".join(found)


def test_exceptions_are_needed() -> None:
    needed = {(module, name) for module, _ in EXCEPTIONS for _, name in _found(module) if name not in _words()}
    assert [each for each in EXCEPTIONS if each not in needed] == []


def test_no_other_module_lists_the_methods_that_move() -> None:
    """`to` and `cuda` mean other things by themselves, and side by side only this."""
    found = [
        f"{module}:{node.lineno}: ask tables/waits/device_copies.py"
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Tuple | ast.Set | ast.List)
        and set(MOVES) <= {item.value for item in node.elts if isinstance(item, ast.Constant)}
    ]
    assert not found, "\n".join(found)


def test_words_are_needed() -> None:
    assert _words() <= _known()
    assert _words() <= {name for module in MODULES for _, name in _found(module)}


@pytest.mark.parametrize(
    "line",
    [
        'BARS = frozenset({"tqdm", "print"})',
        'BARS = "len tqdm print".split()',
        'ROW = (KIND, "tqdm alive_it", "")',
        'ORIGIN = "tqdm.auto.tqdm"',
        'BARS = lazy(r"(^|_)(bar|tqdm|progress)$")',
        'BARS = re.compile(r"\\.tqdm\\(")',
        'BARS = lazy(START + "|tqdm")',
        'is_bar = name == "tqdm"',
    ],
)
def test_lists_and_patterns_are_seen(line: str) -> None:
    assert "tqdm" in {name for _, name in names_of(ast.parse(line), _known())}


@pytest.mark.parametrize(
    "line",
    [
        '"""Bars such as tqdm."""',
        'message = f"{name} is no tqdm"',
        'title = "Take the bar of tqdm"',
        'NAMES = lazy(r"tqdm_like|my_tqdm")',
        'names = {"tqdm_like"}',
    ],
)
def test_sentences_and_longer_names_are_not(line: str) -> None:
    assert list(names_of(ast.parse(line), _known())) == []
