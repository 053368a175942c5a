"""The document says which files its verdicts are about, so that a reader notices that one has changed."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from trainlint.evidence import Judged
from trainlint_probe.static import judge_files

TEXT = b"import torch\r\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a script and a helper."""
    directory = tmp_path / "project" / "training"
    (directory / "parts").mkdir(parents=True)
    for name in ("train.py", "parts/helper.py"):
        (directory / name).write_bytes(TEXT)
    monkeypatch.chdir(directory)
    return directory


def test_files_are_named_as_verdicts_name_them_with_the_digests_of_their_bytes(training: Path) -> None:
    found = judge_files([Path("train.py"), Path("parts")]).judged
    assert found == Judged(None, {"train.py": DIGEST, "parts/helper.py": DIGEST})


def test_in_a_repository_the_working_directory_is_told_from_its_root(training: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=training.parent, check=True)
    assert judge_files([Path("train.py")]).judged.directory == "training"


def test_where_nothing_is_judged_no_file_is_named(training: Path) -> None:
    assert judge_files([]).judged == Judged()


def test_a_file_that_is_gone_is_not_named(training: Path) -> None:
    assert judge_files([Path("train.py"), Path("gone.py")]).judged.digests == {"train.py": DIGEST}
