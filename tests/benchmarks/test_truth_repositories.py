"""Scripts that train with the code of a repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.truth.failures import NotRun
from benchmarks.truth.repositories import repository_for
from benchmarks.truth.run import record_of
from benchmarks.truth.scripts_of import Script, read_script

TRAIN = (
    "import torch\n"
    "from helper import read\n\n"
    "model = torch.nn.Linear(2, 1).cuda()\n"
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    "for step in range(7):\n"
    "    loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
    "    loss.backward()\n"
    "    optimizer.step()\n"
    "    read(loss)\n"
)
HELPER = "def read(loss):\n    open('log.txt', 'a').write(str(loss.item()))\n"


def git(directory: Path, *words: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *author, *words], cwd=directory, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that git finds in the place of github.com/someone/things."""
    origin = tmp_path / "origin"
    (origin / "small").mkdir(parents=True)
    (origin / "large").mkdir()
    (origin / "small" / "train.py").write_text(TRAIN)
    (origin / "small" / "helper.py").write_text(HELPER)
    (origin / "large" / "data.bin").write_text("0" * 1000)
    git(origin, "init", "--quiet")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "first")
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "file://{origin}"]\n\tinsteadOf = https://github.com/someone/things\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    return origin


def script_for(directory: Path, commit: str, body: str = "", packages: str = "things/small") -> Script:
    path = directory / "things_train.py"
    path.write_text(
        f"# repository: someone/things@{commit}\n# requires: torch\n# packages: {packages}\n# kind: text\n{body}"
    )
    return read_script(path)


def test_the_folders_that_a_script_names_are_fetched_once(published: Path, tmp_path: Path) -> None:
    script = script_for(tmp_path, git(published, "rev-parse", "HEAD").strip())
    found = repository_for(script, tmp_path / "cache")
    assert found is not None
    assert (found.name, (found / "small" / "train.py").read_text()) == ("things", TRAIN)
    assert not (found / "large").exists()
    shutil.rmtree(published)
    assert repository_for(script, tmp_path / "cache") == found


def test_all_of_a_repository_is_fetched_that_a_script_names_as_a_whole(published: Path, tmp_path: Path) -> None:
    script = script_for(tmp_path, git(published, "rev-parse", "HEAD").strip(), packages="things")
    found = repository_for(script, tmp_path / "cache")
    assert found is not None
    assert (found / "large" / "data.bin").exists()


def test_a_commit_that_there_is_not_is_told_and_fetched_again(published: Path, tmp_path: Path) -> None:
    script = script_for(tmp_path, "0" * 40)
    for _ in range(2):
        with pytest.raises(NotRun, match="someone/things cannot be fetched"):
            repository_for(script, tmp_path / "cache")


def test_a_script_runs_in_a_copy_of_its_repository(tmp_path: Path) -> None:
    """What it writes there is gone, and the lines that count are those of the folders that it names."""
    things = tmp_path / "things"
    (things / "small").mkdir(parents=True)
    (things / "small" / "train.py").write_text(TRAIN)
    (things / "small" / "helper.py").write_text(HELPER)
    body = (
        "import runpy, sys\nfrom pathlib import Path\n"
        "sys.path.insert(0, str(Path('small').resolve()))\n"
        "runpy.run_path(str(Path('small/train.py').resolve()), run_name='__main__')\n"
    )
    (found,) = record_of(script_for(tmp_path, "0123456789", body), Path(sys.executable), things)
    assert (found.error, found.steps) == ("", 6)
    assert [(event.path, event.line) for event in found.events] == [("small/helper.py", 2)]
    assert found.packages == {"things/small": str(things / "small")}
    assert next(iter(found.versions.items())) == ("someone/things", "01234567")
    assert sorted(path.name for path in things.rglob("*")) == ["helper.py", "small", "train.py"]
