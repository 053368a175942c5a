"""For coding agents: each finding in few words, with its id, the loop that it runs in, and what to do once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests import forked
from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.baseline.identity import Identities
from trainlint.finding import IN_WORKERS, Finding, Heat, Report
from trainlint.report import render

if TYPE_CHECKING:
    from trainlint.report import Sources


def page(*findings: Finding, from_sources: Sources = sources, left_out: int = 0) -> list[str]:
    report = Report(findings, (BROKEN,), 12, 4, 4, left_out=left_out)
    return render(report, "agent", sources=from_sources, rules=(), settings=settings()).splitlines()


def test_a_finding_is_its_place_rule_id_message_code_and_chain() -> None:
    identities = Identities(sources, settings().directory)
    item, copy = identities.id_of(ITEM), identities.id_of(COPY)
    wordy = replace(COPY, help="pin the batches")
    assert page(wordy, replace(ITEM, help="sum on the device"), left_out=3) == [
        f"src/train.py:9 TRN201 {item}: `.item()` makes the host wait for the device in each training step. "
        "[fix unsafe; help 1]",
        "  | total += loss.item()",
        "  step: :6: loop over train_loader → Trainer.step",
        f"src/train.py:7 TRN205 {copy}: The host waits for this copy. [likely; fix safe; help 2]",
        "  | loss = model(batch.to(device))",
        "help 1: sum on the device",
        "help 2: pin the batches",
        "Apply one fix: `trainlint check PATH --only ID` with the flags of its level "
        "(safe: --fix, unsafe: --fix --unsafe-fixes)",
        "could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it",
        "Found 2 problems; 4 of 12 files train (1 fixable with --fix, 1 more with --fix --unsafe-fixes; "
        "3 left out); not everything could be judged: 1 failure.",
    ]


def test_what_to_do_is_said_once() -> None:
    wordy = replace(ITEM, help="sum on the device", fix=None)
    lines = page(wordy, replace(wordy, path="src/other.py"))
    assert [line for line in lines if line.startswith("help")] == ["help 1: sum on the device"]
    assert sum(line.endswith("[help 1]") for line in lines) == 2


def test_a_group_is_one_finding_and_names_all_ids() -> None:
    identities = Identities(sources, settings().directory)
    first, second = replace(ITEM, fix=None), replace(ITEM, fix=None, span=replace(ITEM.span, start_line=10))
    lines = page(first, second)
    assert lines[0].startswith(f"src/train.py:9 TRN201 {identities.id_of(first)}: 2 reads in lines 9 and 10: ")
    assert f"  other ids: {identities.id_of(second)}" in lines


def test_of_a_long_chain_the_loop_and_the_last_step_are_shown_and_files_are_named_once() -> None:
    steps = ("src/loop.py:3: for batch in loader", "src/loop.py:5: calls step", "lib/net.py:7: calls forward")
    assert "  step: ./loop.py:3: for batch in loader → :5: calls step" in page(replace(ITEM, chain=steps[:2]))
    assert "  step: :4: for batch in loader" in page(replace(ITEM, chain=("line 4: for batch in loader",)))
    long = (*steps, "line 8: calls f")
    assert "  step: ./loop.py:3: for batch in loader → ... → line 8: calls f" in page(replace(ITEM, chain=long))


def test_what_the_label_of_a_chain_says_is_said_once() -> None:
    often = replace(ITEM, message="it waits in every training step", fix=None)
    assert page(often)[0].endswith(": it waits")
    assert page(replace(often, chain=()))[0].endswith(": it waits in every training step")
    lines = page(replace(ITEM, heat=Heat.WORKER, chain=(f"Rows.__getitem__: {IN_WORKERS}", "line 8: calls f")))
    assert "  worker: Rows.__getitem__ → :8: calls f" in lines


def test_a_finding_has_at_most_sixty_tokens_over_the_code_that_it_quotes() -> None:
    """Tokens are counted as words, eight letters of a word as one: within 7 of those of cl100k_base."""
    repository = Path(__file__).resolve().parents[2]
    said = forked.run_text(["check", "examples", "--output-format", "agent"], repository).stdout
    found = re.findall(r"(?m)^\S+:\d+ TRN.*\n(?:  .*\n)*", said)
    assert len(found) > 10
    for text in found:
        without_code = re.sub(r"(?m)^  \|.*\n|`[^`]*`|(?<=\d: )(?:for|while|calls) [^→\n]*", "", text)
        words = re.findall(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+|\n", without_code)
        assert sum(-(-len(word) // 8) for word in words) <= 60, text


def test_a_file_that_is_gone_shows_no_code() -> None:
    assert not any(line.startswith("  |") for line in page(ITEM, from_sources=lambda path: None))
