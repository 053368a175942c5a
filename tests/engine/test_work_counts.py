"""How much is done, counted and not timed: nothing is done twice, and twice the code is twice the work."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import libcst
import pytest

from tests.engine.counted_work import Work, check, counted, judge
from tests.engine.growing_files import (
    GROWING,
    Growing,
    attributes,
    deep_blocks,
    deep_calls,
    derived_classes,
    long_method_chain,
)
from tests.engine.linked_project import FILES, write_project
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.summarise import summarise
from trainlint.analysis.syntax.walk import outline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CALLER = "from pkg import utils\n\nutils.log(0, 1)\n"
"""A file without a word of training that takes part in linking, since it imports one that has."""
IDLE = "import json\n\n\ndef load(path):\n    return json.loads(path.read_text())\n"
TELLING = [name for name, text in FILES.items() if "torch" in text]
"""The files of the project that hold a word of training, and so take part in linking."""
CALLS_A_LINE = 650
"""Of Python's functions and of those in C, for all rules and the abstract run, in code dense with what they look at."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path, {**FILES, "pkg/files.py": IDLE})
    monkeypatch.chdir(tmp_path)
    return tmp_path


# A file is looked at once


def test_each_file_is_parsed_once(project: Path) -> None:
    Path("call.py").write_text(CALLER)
    parsed = counted(judge).parsed(ast.parse)
    assert {name: parsed[text] for name, text in FILES.items() if text} == dict.fromkeys(TELLING, 1)
    # Of a helper in which nothing can be found no tree is kept, so it is parsed once more to be executed.
    assert (parsed[CALLER], parsed[IDLE]) == (2, 1)


def test_a_file_that_takes_part_has_one_outline_and_one_summary_and_all_are_linked_at_once(project: Path) -> None:
    work = counted(check)
    assert (work.of(outline), work.of(summarise), work.of(link)) == (len(TELLING), len(TELLING), 1)


def test_a_file_alone_has_one_outline_and_is_not_linked(project: Path) -> None:
    (project / "alone.py").write_text("import torch\n\nprint(torch.ones(3).sum().item())\n")
    work = counted(lambda: check("alone.py"))
    assert (work.of(outline), work.of(summarise), work.of(link)) == (1, 0, 0)


def test_a_file_without_a_word_of_training_is_parsed_and_nothing_more(project: Path) -> None:
    work = counted(lambda: check("pkg/files.py"))
    assert work.parsed(ast.parse) == {IDLE: 1}
    assert (work.of(outline), work.of(summarise), work.of(link)) == (0, 0, 0)


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ordinary training script with findings."""
    path = tmp_path / "train.py"
    path.write_bytes((EXAMPLES / "train_ddp.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    return path


def test_rules_seldom_go_over_the_tree_again(example: Path) -> None:
    nodes = sum(1 for _ in ast.walk(ast.parse(example.read_bytes())))
    walked = counted(check).of(ast.walk)
    assert walked <= 2 * nodes, f"ast.walk visited {walked} nodes of a file that has {nodes}"


def test_an_ordinary_line_takes_a_bounded_number_of_calls(example: Path) -> None:
    lines = len(example.read_text(encoding="utf-8").splitlines())
    Path("empty.py").write_text("import torch\n")
    work = counted(judge).total - counted(lambda: judge("empty.py")).total
    assert work <= CALLS_A_LINE * lines, f"{work // lines} calls a line"


# LibCST is for rewriting


def test_without_a_fix_libcst_does_nothing(project: Path) -> None:
    findings = check("--select", "TRN201")["findings"]
    assert findings
    assert not any(finding["fix"] for finding in findings)
    calls = counted(lambda: check("--select", "TRN201")).calls
    assert not [code for code in calls if "/libcst/" in Path(code.co_filename).as_posix()]


def test_for_a_fix_libcst_parses_a_statement_and_no_file(example: Path) -> None:
    with example.open("a", encoding="utf-8") as file:
        file.write("\n\nscaler = torch.cuda.amp.GradScaler()\n")

    def check_for_old_names() -> list[dict[str, Any]]:
        return [
            finding
            for finding in check("--select", "TRN801", "--min-confidence", "unlikely")["findings"]
            if finding["fix"] is not None
        ]

    fixes = len(check_for_old_names())
    assert fixes
    parsed = counted(check_for_old_names).parsed(libcst.parse_module)
    assert 0 < parsed.total() <= 3 * fixes
    assert max(map(len, parsed)) < len(example.read_text(encoding="utf-8")) / 5


# Twice the code, twice the work

MOST = 2.5
"""By how much a run may grow when its file doubles; beyond two, for what a few rounds need to settle."""
MOST_OF_ONE = 3.0
"""By how much a single function may that makes or gets a share of all calls."""
SHARE = 0.05


LENGTH = 12
LENGTHS: dict[Growing, int] = {
    attributes: 24,  # one wait in fewer statements has a fix, which costs more once
    deep_blocks: 8,  # Python refuses blocks that are much deeper than four times that
    deep_calls: 8,
    derived_classes: 8,  # nobody derives more often
    long_method_chain: 32,  # answers about values go only so deep, which costs more once, at about 60
}


ON_EACH_RUN = {
    "functions": "many small blocks",
    "calls_in_a_circle": "heat and values flow along calls, and must settle",
    "training_functions": "much that trains, so that most rules look",
    "deep_blocks": "blocks in blocks",
}
"""Those that `make test` tries, with what grows in them; the others are slow in sum."""


@pytest.mark.parametrize(
    "growing",
    [
        pytest.param(each, marks=() if each.__name__ in ON_EACH_RUN else pytest.mark.slow, id=each.__name__)
        for each in GROWING
    ],
)
def test_twice_the_code_is_twice_the_work(growing: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.py").write_text("import grown\nimport torch\n")
    length = LENGTHS.get(growing, LENGTH)
    once, twice, four_times = (_work_on(growing(length * times)) for times in (1, 2, 4))
    assert _growth(once.total, twice.total, four_times.total) <= MOST, _grown(once, twice, four_times)
    assert not _grown(once, twice, four_times)


def test_what_each_run_tries_exists() -> None:
    assert ON_EACH_RUN.keys() <= {growing.__name__ for growing in GROWING}


def _work_on(text: str) -> Work:
    Path("grown.py").write_text(text)
    return counted(lambda: check("--preview", "--min-confidence", "unlikely", "grown.py", "main.py"))


def _growth(once: int, twice: int, four_times: int) -> float:
    """How much more the second doubling added than the first: what a run does anyhow cancels out."""
    return (four_times - twice) / (twice - once) if twice > once else 0.0


def _grown(once: Work, twice: Work, four_times: Work) -> dict[str, tuple[int, int, int]]:
    """The functions that are to blame."""
    counts: list[Counter[str]] = [work.by_place() for work in (once, twice, four_times)]
    found = {place: (counts[0][place], counts[1][place], counts[2][place]) for place in counts[2]}
    least = SHARE * four_times.total
    return {place: each for place, each in found.items() if each[2] >= least and _growth(*each) > MOST_OF_ONE}
