"""Findings in helpers name the calls that reach them, and an ignore comment at such a call silences them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainlint.cli import main

HELPERS = """\
import torch.distributed as dist


def averaged(number):
    return number.item()


def logged(number, ranks):
    shared = number.clone()
    dist.all_reduce(shared)
    return averaged(shared / ranks)
"""
TRAIN = """\
import torch
from torch.utils.data import DataLoader

from helpers import averaged, logged


def main(dataset, ranks):
    model = torch.nn.Linear(3, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for images in DataLoader(dataset, num_workers=4, pin_memory=True):
        loss = model(images.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        µ = logged(loss.detach(), ranks); ν = logged(loss.detach() * 2, ranks)
    averaged(loss.detach())


main(None, 2)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training script and its helpers."""
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    main(["check", ".", "--isolated", "--exit-zero", "--output-format", "json", "--select", "TRN201,TRN002", *options])
    loaded: dict[str, Any] = json.loads(capsys.readouterr().out)
    return loaded


def places(found: dict[str, Any]) -> list[tuple[str, int, list[tuple[str, int, int]]]]:
    return [
        (
            finding["code"],
            finding["span"]["start_line"],
            [(place["path"], place["line"], place["column"]) for place in finding["related"]],
        )
        for finding in found["findings"]
    ]


def test_the_calls_that_zero_gradients_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = TRAIN.replace("averaged, logged", "cleared").replace("optimizer.zero_grad()", "cleared(model.parameters())")
    (tmp_path / "helpers.py").write_text(
        "import torch\ndef cleared(held):\n    for each in held:\n        each.grad.zero_()\n"
    )
    (tmp_path / "train.py").write_text("\n".join(line for line in code.splitlines() if "loss.detach" not in line))
    monkeypatch.chdir(tmp_path)
    main(["check", ".", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "--select", "TRN306"])
    assert places(json.loads(capsys.readouterr().out)) == [("TRN306", 4, [("train.py", 14, 9)])]


FOUND = [("TRN201", 5, [("helpers.py", 11, 12), ("train.py", 15, 13), ("train.py", 15, 47)])]


def test_the_calls_that_reach_a_wait_are_named_nearest_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "--no-cache")
    assert places(found) == FOUND, "a call after the loop does not run in each step"
    related = found["findings"][0]["related"]
    assert [place["message"] for place in related] == [
        "calls `averaged` in every training step",
        *["calls `logged` in every training step"] * 2,
    ]


def test_the_cache_keeps_related_places(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    cache = ("--cache-dir", str(tmp_path_factory.mktemp("cache")))
    assert places(report(capsys, *cache)) == FOUND
    assert places(report(capsys, *cache)) == FOUND
    (project / "train.py").write_text(f"# one line more\n{TRAIN}")
    moved = [("TRN201", 5, [("helpers.py", 11, 12), ("train.py", 16, 13), ("train.py", 16, 47)])]
    assert places(report(capsys, *cache)) == moved


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("helpers.py", "    return number.item()"),
        ("helpers.py", "    return averaged(shared / ranks)"),
        ("train.py", "        µ = logged(loss.detach(), ranks); ν = logged(loss.detach() * 2, ranks)"),
    ],
)
@pytest.mark.parametrize("words", ["ignore[TRN201]", "ignore[item-in-training-step]", "ignore"])
def test_an_ignore_comment_at_any_place_silences_the_cause(
    project: Path, capsys: pytest.CaptureFixture[str], file: str, line: str, words: str
) -> None:
    text = (project / file).read_text()
    assert text.count(line) == 1
    (project / file).write_text(text.replace(line, f"{line}  # trainlint: {words}"))
    found = report(capsys, "--no-cache")
    assert places(found) == [], "nor is the comment called unused"
    assert found["counts"]["suppressed"] == 1


def test_an_ignore_comment_for_another_rule_silences_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "        µ = logged("
    (project / "train.py").write_text(TRAIN.replace("* 2, ranks)", "* 2, ranks)  # trainlint: ignore[TRN202]"))
    assert line in TRAIN
    assert places(report(capsys, "--no-cache")) == FOUND


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("helpers.py", "    return number.item()", []),
        ("helpers.py", "    return averaged(shared / ranks)", FOUND),
        ("train.py", "        µ = logged(loss.detach(), ranks); ν = logged(loss.detach() * 2, ranks)", FOUND),
    ],
)
def test_a_bare_noqa_speaks_to_other_linters_and_so_of_its_own_line_alone(
    project: Path, capsys: pytest.CaptureFixture[str], file: str, line: str, expected: list[Any]
) -> None:
    (project / file).write_text((project / file).read_text().replace(line, f"{line}  # noqa"))
    assert places(report(capsys, "--no-cache")) == expected


def test_an_ignore_comment_at_a_call_that_leaves_no_file_may_be_unused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(
        TRAIN.replace("optimizer.step()", "optimizer.step()  # trainlint: ignore[TRN201]")
    )
    assert places(report(capsys, "--no-cache")) == [*FOUND, ("TRN002", 13, [])]


def test_an_edited_comment_counts_though_the_file_of_the_finding_is_in_the_cache(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: Any
) -> None:
    cache = ("--cache-dir", str(tmp_path_factory.mktemp("cache")))
    assert places(report(capsys, *cache)) == FOUND
    (project / "train.py").write_text(TRAIN.replace("* 2, ranks)", "* 2, ranks)  # trainlint: ignore[TRN201]"))
    assert places(report(capsys, *cache)) == []
    (project / "train.py").write_text(TRAIN)
    assert places(report(capsys, *cache)) == FOUND
