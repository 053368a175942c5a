"""What only a run shows is silenced as static findings are: by comments where it stands, and by the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli import main
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint_probe.judgement.silenced import without_silenced
from trainlint_probe.judgement.static import configured
from trainlint_probe.result import Ignored

TRAINING = """\
from torch.utils.data import DataLoader


def loader_for(images):
    return DataLoader(  {comment}
        images,
        batch_size=64,
    )
"""
STARVED = Verdict("TRNP101", "loader-starvation", Line("train.py", 5), State.CONFIRMED, "it waits", new=True)
GROWING = Verdict("TRNP301", "memory-grows", Line("train.py", 0), State.CONFIRMED, "it grows", new=True)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left(*verdicts: Verdict) -> tuple[list[str], Ignored]:
    """The codes of what is left to tell, and how much is not."""
    found = without_silenced(verdicts, configured())
    return [item.code for item in found.verdicts], found.ignored


@pytest.mark.parametrize(
    "comment",
    [
        "# trainlint: ignore[TRNP101]  the disk is slow on this machine alone",
        "# trainlint: ignore[loader-starvation]",
        "# trainlint: ignore[TRNP]",
        "# trainlint: ignore",
        "# noqa: TRNP101",
        "# noqa",
    ],
)
@pytest.mark.parametrize("line", [5, 7])
def test_a_comment_at_its_statement_silences_it(comment: str, line: int) -> None:
    Path("train.py").write_text(TRAINING.format(comment=comment))
    there = Verdict("TRNP101", "loader-starvation", Line("train.py", line), State.CONFIRMED, "it waits", new=True)
    assert left(there, GROWING) == (["TRNP301"], Ignored(by_comments=1))


@pytest.mark.parametrize("comment", ["", "# trainlint: ignore[TRN101]", "# trainlint: ignore[TRNP102]", "# noqa: E501"])
def test_a_comment_about_something_else_does_not(comment: str) -> None:
    """What the code looks like may be fine where the run says that it is not."""
    Path("train.py").write_text(TRAINING.format(comment=comment))
    assert left(STARVED) == (["TRNP101"], Ignored())


def test_a_comment_elsewhere_does_not() -> None:
    Path("train.py").write_text(f"import os  # trainlint: ignore[TRNP101]\n{TRAINING.format(comment='')}")
    assert left(STARVED) == (["TRNP101"], Ignored())


def test_a_comment_for_the_whole_file_reaches_what_is_of_the_whole_script() -> None:
    Path("train.py").write_text("# trainlint: ignore-file[TRNP301, TRNP101]\n" + TRAINING.format(comment=""))
    assert left(STARVED, GROWING) == ([], Ignored(by_comments=2))


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ('ignore = ["TRNP101"]', ["TRNP301"]),
        ('ignore = ["loader-starvation"]', ["TRNP301"]),
        ('ignore = ["TRNP"]', []),
        ('ignore = ["TRNP"]\nextend-select = ["TRNP301"]', ["TRNP301"]),
        ('select = ["TRN", "TRNP1"]', ["TRNP101"]),
        ('select = ["TRN"]', []),
        ('[per-file-ignores]\n"train.py" = ["TRNP1"]', ["TRNP301"]),
        ('[per-file-ignores]\n"other.py" = ["TRNP1"]', ["TRNP101", "TRNP301"]),
        ('ignore = ["TRN101"]', ["TRNP101", "TRNP301"]),
    ],
)
def test_the_configuration_turns_it_off_and_on(settings: str, codes: list[str]) -> None:
    Path("trainlint.toml").write_text(settings)
    Path("train.py").write_text(TRAINING.format(comment=""))
    assert left(STARVED, GROWING) == (codes, Ignored(by_configuration=2 - len(codes)))


def test_the_nearest_configuration_holds() -> None:
    Path("parts").mkdir()
    Path("parts/trainlint.toml").write_text('ignore = ["TRNP101"]')
    Path("parts/data.py").write_text(TRAINING.format(comment=""))
    there = Verdict("TRNP101", "loader-starvation", Line("parts/data.py", 5), State.CONFIRMED, "it waits", new=True)
    assert left(STARVED, there) == (["TRNP101"], Ignored(by_configuration=1))


def test_what_is_of_a_trace_is_configured_where_the_probe_is_started(tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / "traces" / "trace.json"
    of_trace = Verdict("TRNP301", "memory-grows", Line(str(elsewhere), 0), State.CONFIRMED, "it grows", new=True)
    assert left(of_trace) == (["TRNP301"], Ignored())
    Path("trainlint.toml").write_text('ignore = ["TRNP301"]')
    assert left(of_trace) == ([], Ignored(by_configuration=1))


def test_a_file_that_cannot_be_read_silences_nothing() -> None:
    Path("train.py").write_bytes(b"# trainlint: ignore-file\n\xff\xfe = 1\n")
    assert left(STARVED) == (["TRNP101"], Ignored())


@pytest.mark.parametrize("comment", ["# trainlint: ignore[TRNP101]", "# trainlint: ignore[loader-starvation]"])
def test_check_calls_such_a_comment_neither_unused_nor_unknown(
    comment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TRAINING.format(comment=comment).replace("batch_size=64,", "batch_size=64, num_workers=4, pin_memory=True,")
    Path("train.py").write_text(f"# trainlint: ignore-file[TRNP3]\n{text}")
    main(["check", "--no-cache", "--preview", "--output-format", "concise", "train.py"])
    shown = capsys.readouterr().out
    assert "TRN002" not in shown
    assert "TRN003" not in shown
    Path("train.py").write_text(text.replace("TRNP101", "TRNP999").replace("loader-starvation", "TRNP999"))
    main(["check", "--no-cache", "--output-format", "concise", "train.py"])
    assert 'TRN003 no rule is called "TRNP999"' in capsys.readouterr().out
