"""The id of a finding: the same while its rule, file, function and statement are, whatever happens around them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trainlint.baseline.identity import Identities
from trainlint.finding import Finding, Severity
from trainlint.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = """\
def train(model, loader, log):
    for images, labels in loader:
        loss = model(images, labels)
        log("loss", loss.item(), labels.mean().item())
        total += loss.item()
        total += loss.item()


class Trainer:
    @measured(loss.item())
    def step(self, loss):
        return {'loss': loss.item()}
"""


def ids(text: str, path: str = "train.py", code: str = "TRN201") -> list[str]:
    """The ids of findings at each `loss.item()` of a text, and at `labels.mean`, in their order."""
    source = source_from_text(path, text)
    identities = Identities({path: source}.get, "/nowhere")
    starts = [at for at in range(len(text)) if text.startswith(("loss.item", "labels.mean"), at)]
    spans = [source.span(start, start + 4) for start in starts]
    return [identities.id_of(Finding(code, "slow", path, span, "it waits", Severity.WARNING)) for span in spans]


def test_each_finding_has_an_id_of_its_own() -> None:
    """Two in one statement, and two in equal statements of one function, are told apart."""
    assert len(ids(TRAIN)) == len(set(ids(TRAIN))) == 6


def test_parts_of_an_f_string_have_ids_of_their_own() -> None:
    """Python before 3.12 places the text between them nowhere."""
    assert len(set(ids("print(f'{loss.item()} of {labels.mean()} done')\n"))) == 2


@pytest.mark.parametrize(
    "changed",
    [
        "import torch\n\nRATE = 0.1\n\n" + TRAIN,
        TRAIN.replace("        total +=", "        # the sum\n        total +="),
        TRAIN.replace("        loss =", "        print(images)\n        loss ="),
        TRAIN.replace("        total += loss.item()", "        if log:\n            total += loss.item()"),
        TRAIN.replace("for images, labels in loader:", "while images:"),
        TRAIN.replace("loss.item()", "(loss.item())"),
        TRAIN.replace("\n", "\r\n"),
    ],
    ids=["lines above", "a comment", "another statement", "indentation", "the loop", "parentheses", "line ends"],
)
def test_an_id_survives_changes_around_its_statement(changed: str) -> None:
    assert ids(changed) == ids(TRAIN)


def test_an_id_survives_reformatting(tmp_path: Path) -> None:
    """By ruff, from forty columns and single quotes to 120 and double ones."""
    place = tmp_path / "train.py"
    written = []
    for options in (
        ("--config", "line-length=40", "--config", "format.quote-style='single'"),
        ("--config", "line-length=120"),
    ):
        place.write_text(TRAIN)
        subprocess.run([sys.executable, "-m", "ruff", "format", "--isolated", "-q", *options, place], check=True)
        written.append(place.read_text())
    assert '"loss",\n' not in TRAIN
    assert "'loss',\n" in written[0]
    assert written[0] != written[1]
    assert ids(written[0]) == ids(written[1]) == ids(TRAIN)


def test_another_rule_file_function_or_statement_is_another_id() -> None:
    known = set(ids(TRAIN))
    assert known.isdisjoint(ids(TRAIN, code="TRN202"))
    assert known.isdisjoint(ids(TRAIN, path="src/train.py"))
    assert known.isdisjoint(ids(TRAIN.replace("train(", "fit(").replace("Trainer", "Fitter")))
    assert ids(TRAIN.replace("total +=", "sum +="))[2] not in known


def test_an_id_does_not_depend_on_where_trainlint_was_started(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "pyproject.toml").touch()
    source = source_from_text("train.py", TRAIN)
    span = source.span(TRAIN.index("loss.item"), TRAIN.index("loss.item") + 4)

    def id_from(directory: Path, shown: str) -> str:
        finding = Finding("TRN201", "slow", shown, span, "it waits", Severity.WARNING)
        return Identities(lambda path: source, str(directory)).id_of(finding)

    assert id_from(tmp_path, "src/train.py") == id_from(tmp_path / "src", "train.py")
    assert id_from(tmp_path, "src/train.py") != id_from(tmp_path, "train.py")


def test_a_fixed_equal_statement_leaves_its_id_to_the_next() -> None:
    """The price of an ordinal: what is equal can only be counted."""
    once = TRAIN.replace("        total += loss.item()\n", "", 1)
    assert ids(once) == [*ids(TRAIN)[:3], *ids(TRAIN)[4:]]


@pytest.mark.parametrize(
    ("path", "text", "moved"),
    [
        ("train.py", "x = 1  # loss.item\n", "\n\nif x:\n    x = 1    # loss.item\n"),
        ("train.py", "def broken(:\n    loss.item()\n", "\ndef broken(:\n  loss.item()\n"),
        ("ds_config.json", '{"a": 1,\n "loss.item": 2}\n', '{"b": 1,\n "a": 1,\n   "loss.item": 2}\n'),
    ],
    ids=["a comment", "no Python", "settings"],
)
def test_where_no_statement_stands_the_words_of_the_line_count(path: str, text: str, moved: str) -> None:
    assert len(ids(text, path)) == 1
    assert ids(text, path) == ids(moved, path)
