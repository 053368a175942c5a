"""The hooks of this checkout, driven by the real pre-commit in a real git repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]

SLOW = """\
import torch


def train(model, loader, optimizer):
    history = []
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history
"""

GOOD = SLOW.replace("loss.item()", "loss.detach()")

NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 3,
                "id": "one",
                "metadata": {},
                "outputs": [{"name": "stdout", "output_type": "stream", "text": ["torch.cuda.amp\n"]}],
                "source": ["import torch\n", "with torch.cuda.amp.autocast():\n", "    result = model(batch)"],
            }
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    indent=1,
)

OUTDATED = """\
import torch


def step(model, batch):
    with torch.cuda.amp.autocast():
        return model(batch)
"""


@dataclass(frozen=True, slots=True)
class Repository:
    """A user's git repository, with pre-commit installed in it."""

    path: Path
    cache: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PRE_COMMIT_HOME": str(self.cache)}
        # Git sets these for its own hooks; they would lead the commands below into the wrong repository.
        for name in [name for name in environment if name.startswith("GIT_")]:
            del environment[name]
        return subprocess.run(
            command,
            cwd=self.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )

    def git(self, *words: str) -> str:
        done = self.run("git", *IDENTITY, *words)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def commit(self, name: str, text: str) -> subprocess.CompletedProcess[str]:
        """Write a file, stage it, and try to commit it as a user would."""
        (self.path / name).write_text(text, encoding="utf-8")
        self.git("add", name)
        return self.run("git", *IDENTITY, "commit", "--message", f"Add {name}")

    @property
    def commits(self) -> int:
        return int(self.git("rev-list", "--all", "--count"))


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """This working tree as a git repository with one commit, which is what pre-commit installs hooks from."""
    source = tmp_path_factory.mktemp("hooks") / "trainlint"
    source.mkdir()
    for folder in ("trainlint", "rules"):
        shutil.copytree(PROJECT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(PROJECT / file, source)
    repository = Repository(source, source)
    repository.git("init", "--quiet")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "The working tree")
    return source, repository.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environment that it builds for the hooks: built once for all tests here."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def repository(tmp_path: Path, hooks: tuple[Path, str], cache: Path, request: pytest.FixtureRequest) -> Repository:
    """A new repository that asks for the hook which the test names."""
    source, revision = hooks
    repository = Repository(tmp_path, cache)
    repository.git("init", "--quiet")
    (tmp_path / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {source.as_uri()}\n  rev: {revision}\n  hooks:\n  - id: {request.param}\n", encoding="utf-8"
    )
    repository.git("add", ".pre-commit-config.yaml")
    installed = repository.run(sys.executable, "-m", "pre_commit", "install", "--install-hooks")
    assert installed.returncode == 0, installed.stdout
    return repository


pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.mark.parametrize("repository", ["trainlint"], indirect=True)
def test_a_slow_step_is_refused_and_a_good_one_passes(repository: Repository) -> None:
    refused = repository.commit("train.py", SLOW)
    assert refused.returncode != 0
    assert "TRN201" in refused.stdout
    assert "train.py:11" in refused.stdout
    assert repository.commits == 0

    accepted = repository.commit("train.py", GOOD)
    assert accepted.returncode == 0, accepted.stdout
    assert "Passed" in accepted.stdout
    assert repository.commits == 1


@pytest.mark.parametrize("repository", ["trainlint"], indirect=True)
def test_what_cannot_be_judged_is_refused_too(repository: Repository) -> None:
    refused = repository.commit("train.py", GOOD + "def (:\n")
    assert refused.returncode != 0
    assert "train.py" in refused.stdout
    assert repository.commits == 0


@pytest.mark.parametrize("repository", ["trainlint"], indirect=True)
def test_what_the_project_excludes_is_left_alone(repository: Repository) -> None:
    (repository.path / "trainlint.toml").write_text('exclude = ["train.py"]\n', encoding="utf-8")
    accepted = repository.commit("train.py", SLOW)
    assert accepted.returncode == 0, accepted.stdout
    assert "Passed" in accepted.stdout


@pytest.mark.parametrize("repository", ["trainlint-fix"], indirect=True)
def test_the_fix_is_applied_and_then_the_commit_passes(repository: Repository) -> None:
    (repository.path / "requirements.txt").write_text("torch>=2.4\n", encoding="utf-8")
    refused = repository.commit("step.py", OUTDATED)
    assert refused.returncode != 0
    fixed = (repository.path / "step.py").read_text(encoding="utf-8")
    assert "torch.cuda.amp" not in fixed
    assert 'torch.amp.autocast("cuda"' in fixed
    assert repository.commits == 0

    accepted = repository.commit("step.py", fixed)
    assert accepted.returncode == 0, accepted.stdout
    assert repository.commits == 1


@pytest.mark.parametrize("repository", ["trainlint-fix"], indirect=True)
def test_a_notebook_is_fixed_in_place_and_then_the_commit_passes(repository: Repository) -> None:
    (repository.path / "requirements.txt").write_text("torch>=2.4\n", encoding="utf-8")
    refused = repository.commit("run.ipynb", NOTEBOOK)
    assert refused.returncode != 0, refused.stdout
    fixed = (repository.path / "run.ipynb").read_text(encoding="utf-8")
    new = 'torch.amp.autocast(\\"cuda\\", dtype=torch.float16)'
    assert fixed == NOTEBOOK.replace("torch.cuda.amp.autocast()", new)

    accepted = repository.commit("run.ipynb", fixed)
    assert accepted.returncode == 0, accepted.stdout
    assert repository.commits == 1
