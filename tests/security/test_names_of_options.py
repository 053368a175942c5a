"""A file whose name is an option is refused, whatever command it is given to."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli import COULD_NOT_JUDGE, main


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose rule pack says so when it is loaded."""
    (tmp_path / "train.py").write_text("import torch\n")
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["check", "why", "baseline", "advise", "probe", "plan", "doctor", "rules"])
@pytest.mark.parametrize("name", ["--plugin=evil.py", "--exit-zero", "-qv"])
def test_a_file_that_is_named_like_an_option_is_refused(
    command: str, name: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / name).touch()
    assert main([command, "train.py", name]) == COULD_NOT_JUDGE
    assert f"write ./{name} for the file" in " ".join(capsys.readouterr().err.split())
    assert not (checkout / "ran").exists()


def test_behind_two_dashes_all_words_are_files(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "--plugin=evil.py").write_text("import torch\n")
    assert main(["check", "--isolated", "--no-cache", "--", "--plugin=evil.py"]) == 0
    assert "1 file" in capsys.readouterr().out
    assert not (checkout / "ran").exists()


def test_a_name_below_a_directory_is_no_option(checkout: Path) -> None:
    (checkout / "--exit-zero.py").write_text("import torch\n")
    assert main(["check", "--isolated", "--no-cache", "./--exit-zero.py"]) == 0
