"""Real trials of `--verify`: what is counted, and that the scripts can be tried at all."""

import pytest

from benchmarks.verify_trials.__main__ import KINDS, PIECES, SCRIPTS, Tried, table, tried


def test_each_script_has_its_pieces_in_one_place() -> None:
    scripts = list(SCRIPTS.glob("*.py"))
    assert len(scripts) == 4
    assert all(script.read_text().count(PIECES) == 1 for script in scripts)


def test_the_table_counts_what_was_said_of_each_kind() -> None:
    trials = [
        Tried("text", "no gain", "no gain", 0.004, 0.5),
        Tried("text", "no gain", "inconclusive", None, 1.5),
        Tried("records", "no gain", "verified", 0.012, 0.1),
        Tried("text", "a tenth", "training changed", 0.1, 0.1),
    ]
    assert list(table(trials))[2:] == [
        "| no gain | text | 2 | 0 | 1 | 1 | 0 | 0.4% | 0.5 to 1.5 |",
        "| no gain | records | 1 | 1 | 0 | 0 | 0 | 1.2% | 0.1 to 0.1 |",
        "| no gain | together | 3 | 1 | 1 | 1 | 0 | 0.8% | 0.1 to 1.5 |",
        "| a tenth | text | 1 | 0 | 0 | 0 | 1 | 10.0% | 0.1 to 0.1 |",
        "| a tenth | together | 1 | 0 | 0 | 0 | 1 | 10.0% | 0.1 to 0.1 |",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_versions_of_a_script_train_alike(kind: str) -> None:
    """How long they take is nothing to test."""
    trial = tried("numbers", kind, pairs=2)
    assert trial.outcome in {"verified", "no gain", "inconclusive"}
    assert trial.gain is not None
