"""What `--diff` prints, git applies, and the files are then what `--fix` makes of them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests import forked

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
import torch

name = "é"


def f(x, y):
    return torch.cuda.amp.GradScaler(), x @ y
"""

FILES = {
    "plain.py": TEXT.encode(),
    "no_line_end.py": TEXT.rstrip().encode(),
    "last_line_changes.py": b"import torch\n\n\ndef f(x, y): return torch.cuda.amp.GradScaler()",
    "windows.py": TEXT.replace("\n", "\r\n").encode(),
    "mixed.py": TEXT.replace("y):\n", "y):\r\n").encode(),
    "mark.py": b"\xef\xbb\xbf" + TEXT.encode(),
    "mark_on_a_changed_line.py": b"\xef\xbb\xbfimport torch; z = torch.cuda.amp.GradScaler()\n",
    "latin.py": f"# -*- coding: latin-1 -*-\n{TEXT}".encode("latin-1"),
    "latin_on_a_changed_line.py": f"# -*- coding: latin-1 -*-\n{TEXT.rstrip()}  # é\n".encode("latin-1"),
    "form_feed.py": TEXT.replace("\n\n\ndef", "\n\x0c\ndef").encode(),
    "package/inner.py": TEXT.encode(),
    "my code/größe.py": TEXT.encode(),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name, data in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "requirements.txt").write_text("torch>=2.4\n")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    return root


def trainlint(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return forked.run(["check", *arguments, "--no-cache"], directory)


def apply(directory: Path, patch: bytes) -> None:
    subprocess.run(["git", "apply", "-"], cwd=directory, input=patch, check=True)


def contents(root: Path) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in FILES}


def fixed(root: Path) -> dict[str, bytes]:
    """The files as `--fix` leaves them; they are put back."""
    trainlint(root, "--fix")
    done = contents(root)
    for name, data in FILES.items():
        (root / name).write_bytes(data)
    return done


def test_git_makes_of_the_files_what_fix_makes_of_them(repository: Path) -> None:
    wanted = fixed(repository)
    diff = trainlint(repository, "--diff")
    assert diff.returncode == 1
    assert contents(repository) == FILES
    apply(repository, diff.stdout)
    assert contents(repository) == wanted
    assert [name for name in FILES if wanted[name] == FILES[name]] == []
    assert trainlint(repository, "--diff").stdout == b""


def test_from_a_directory_of_the_repository(repository: Path) -> None:
    wanted = fixed(repository)
    apply(repository / "package", trainlint(repository / "package", "--diff").stdout)
    assert contents(repository) == {**FILES, "package/inner.py": wanted["package/inner.py"]}


def test_files_outside_the_working_directory_are_named_from_the_root(repository: Path) -> None:
    wanted = fixed(repository)
    diff = trainlint(repository / "package", "..", "--diff")
    assert b"apply the patch there" in diff.stderr
    apply(repository, diff.stdout)
    assert contents(repository) == wanted


def test_a_directory_with_another_name_takes_it(repository: Path) -> None:
    wanted = fixed(repository)
    patch = trainlint(repository, "--diff").stdout
    apply(repository.rename(repository.with_name("another name")), patch)
    assert contents(repository.with_name("another name")) == wanted
