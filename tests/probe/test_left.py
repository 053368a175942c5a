"""What a script wrote is told in a line or two, however much it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint_probe.changed_files.files import Changes
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.overlay import NO_OVERLAY, Overlay

OVERLAY = Overlay({"/home/a/project": "/tmp/layer0"})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(tmp_path)


def test_few_files_are_named(here: str) -> None:
    changes = Changes(new=(f"{here}/runs/events.1", f"{here}/metrics.json"), changed=(f"{here}/train.log",))
    (told,) = about_files(changes, NO_OVERLAY)
    assert told == (
        "The script wrote by itself, and that stays: it made runs/events.1, metrics.json; changed train.log."
    )


def test_of_many_their_directories_are_the_fullest_first(here: str) -> None:
    samples = [f"{here}/logs/samples/{number}.png" for number in range(400)]
    others = [f"{here}/{name}" for name in ("runs/events.1", "a.json", "b.json", "c.json", "d.json")]
    (told,) = about_files(Changes(new=(*samples, *others)), OVERLAY)
    assert told == (
        "The script ran on an overlay over /home/a/project: no file there changed. "
        "It would have made logs/ (400 files), runs/, a.json, b.json and 2 more."
    )


def test_files_elsewhere_are_named_by_their_directories(here: str) -> None:
    (told,) = about_files(Changes(new=tuple(f"/data/cache/{number}" for number in range(9))), NO_OVERLAY)
    assert told.endswith("it made /data/cache/ (9 files).")


def test_nothing_written_is_no_news() -> None:
    assert about_files(Changes(), NO_OVERLAY) == ()
    assert about_files(Changes(), OVERLAY) == (
        "The script ran on an overlay over /home/a/project, and wrote nothing there.",
    )


def test_checkpoints_that_are_gone_are_told_apart(here: str) -> None:
    told = about_files(Changes(changed=(f"{here}/out/model.safetensors", f"{here}/log.txt")), NO_OVERLAY)
    assert told[1] == "Checkpoints of yours are among that: out/model.safetensors."


def test_what_looks_like_a_download_comes_with_advice(here: str) -> None:
    told = about_files(Changes(new=(f"{here}/data/train.tar",), size=3_400_000_000), OVERLAY)
    assert told[1].startswith("That was 3.4 GB. The script downloads or prepares it again in each run")
    assert len(about_files(Changes(new=(f"{here}/data/train.tar",), size=3_400_000_000), NO_OVERLAY)) == 1


def test_what_was_not_looked_at_is_told() -> None:
    (told,) = about_files(Changes(is_whole=False), NO_OVERLAY)
    assert told == "There are more than 200000 files here, and the others were not looked at for changes."


def test_why_there_was_no_overlay_is_told() -> None:
    (told,) = about_files(Changes(), Overlay({}, "this user may not mount here"))
    assert told == "No overlay kept the script from your files: this user may not mount here."
