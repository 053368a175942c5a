"""The recipes of docs/ci.md and docs/adopting.md: commands run, and what services read is valid by their schemas.

check-jsonschema carries the schemas of SchemaStore, so no network is needed.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from pre_commit import clientlib  # type: ignore[import-untyped]  # pre-commit declares no types

from tests import forked
from tests.git_identity import git
from tests.schemas import faults
from trainlint.config.toml import parse_toml

PROJECT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (name, block["language"], block["body"])
    for name in ("docs/ci.md", "docs/adopting.md")
    for block in BLOCK.finditer((PROJECT / name).read_text(encoding="utf-8"))
]
COMMANDS = [line[2:] for _, _, body in BLOCKS for line in body.splitlines() if line.startswith("$ trainlint ")]
RECIPES = [body for _, language, body in BLOCKS if language == "yaml"]
CLEAN = "import torch\n\n\ndef step(model, batch):\n    return model(batch)\n"
WITH_A_FINDING = "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n"


def trainlint(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return forked.run_text(words, folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in git with one old finding, and a baseline that lists it and that no configuration names yet.

    main is known as that of the remote, too.
    """
    (tmp_path / "src").mkdir()
    (tmp_path / "requirements.txt").write_text("torch>=2.4\n", encoding="utf-8")
    (tmp_path / "src" / "train.py").write_text(WITH_A_FINDING, encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main")
    assert trainlint(["baseline"], tmp_path).returncode == 0
    (tmp_path / "trainlint.toml").unlink()
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "a commit")
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "main")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_does_what_the_page_says(command: str, project: Path) -> None:
    words = shlex.split(command.partition(" | ")[0])[1:]
    done = trainlint(words, project)
    only_new = any(word in command for word in ("--baseline", "--diff-base", "--exit-zero", "--fail-on error"))
    judges = words[0] == "check"
    assert done.returncode == (0 if only_new or not judges else 1), done.stderr
    for file in re.findall(r"=(\S+\.\w+)", command):
        assert (project / file).stat().st_size > 0
    if only_new:  # and it fails for what is new
        (project / "src" / "new.py").write_text(WITH_A_FINDING, encoding="utf-8")
        fails = "--exit-zero" not in command and "--fail-on" not in command
        assert trainlint(words, project).returncode == (1 if fails else 0)


def faults_of(schema: str, text: str, folder: Path) -> str:
    place = folder / "recipe.yml"
    place.write_text(text, encoding="utf-8")
    return faults(f"vendor.{schema}", place)


def kind_of(recipe: str) -> str:
    values = yaml.safe_load(recipe)
    return "github-workflows" if "jobs" in values else "pre-commit" if "repos" in values else "gitlab-ci"


def test_there_are_recipes_of_each_kind() -> None:
    assert {kind_of(recipe) for recipe in RECIPES} == {"github-workflows", "pre-commit", "gitlab-ci"}


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if kind_of(recipe) != "pre-commit"])
def test_workflows_are_valid(recipe: str, tmp_path: Path) -> None:
    assert faults_of(kind_of(recipe), recipe, tmp_path) == ""


def test_the_action_is_valid_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    assert faults_of("github-actions", text, tmp_path) == ""
    assert faults_of("github-actions", text.replace("using: composite", "using: nothing"), tmp_path)


def test_the_inputs_of_the_workflows_are_those_of_the_action() -> None:
    known = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))["inputs"].keys()
    for recipe in RECIPES:
        for step in yaml.safe_load(recipe).get("jobs", {}).get("trainlint", {}).get("steps", []):
            if step.get("uses", "").startswith("trainlint/"):
                assert step["with"].keys() <= known


def test_the_hooks_are_valid_for_pre_commit(tmp_path: Path) -> None:
    """SchemaStore's schema of this file is not among those that are carried; pre-commit has its own."""
    manifest = PROJECT / ".pre-commit-hooks.yaml"
    clientlib.load_manifest(manifest)
    wrong = tmp_path / "hooks.yaml"
    wrong.write_text(manifest.read_text(encoding="utf-8").replace("language: python", "language: prose"))
    with pytest.raises(clientlib.InvalidManifestError):
        clientlib.load_manifest(wrong)


def test_the_recipes_for_pre_commit_are_valid_and_name_hooks_that_there_are(tmp_path: Path) -> None:
    known = {hook["id"] for hook in clientlib.load_manifest(PROJECT / ".pre-commit-hooks.yaml")}
    for recipe in (recipe for recipe in RECIPES if kind_of(recipe) == "pre-commit"):
        place = tmp_path / "config.yaml"
        place.write_text(recipe, encoding="utf-8")
        assert {hook["id"] for repo in clientlib.load_config(place)["repos"] for hook in repo["hooks"]} <= known


SCRIPTS = [
    line
    for recipe in RECIPES
    if kind_of(recipe) == "gitlab-ci"
    for line in yaml.safe_load(recipe)["trainlint"]["script"]
    if line.startswith("trainlint ")
]


@pytest.mark.parametrize("line", SCRIPTS)
def test_the_scripts_of_gitlab_write_what_their_artifacts_name(line: str, project: Path) -> None:
    base = git(project, "rev-parse", "main")
    done = trainlint(shlex.split(line.replace("$CI_MERGE_REQUEST_DIFF_BASE_SHA", base))[1:], project)
    assert done.returncode == (0 if "--diff-base" in line else 1), done.stderr
    [recipe] = [yaml.safe_load(recipe) for recipe in RECIPES if line in recipe]
    for file in recipe["trainlint"].get("artifacts", {}).get("reports", {}).values():
        assert (project / file).is_file(), file
    if "gitlab=" in line:
        assert json.loads((project / "gl-code-quality.json").read_text())


def test_the_settings_of_the_page_are_understood(project: Path) -> None:
    for _, language, body in BLOCKS:
        if language == "toml":
            assert parse_toml(body)["tool"]["trainlint"]
            (project / "pyproject.toml").write_text(body, encoding="utf-8")
            assert trainlint(["check", "--baseline", ".trainlint-baseline.json"], project).returncode == 0


def test_the_pages_link_to_files_that_there_are() -> None:
    for name in ("docs/ci.md", "docs/adopting.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", (PROJECT / name).read_text(encoding="utf-8")):
            assert (PROJECT / "docs" / target).exists(), target
