"""`trainlint check --diff-base`: what changed since a revision, told by a real git."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Program, clean_environment
from tests.git_identity import git

if TYPE_CHECKING:
    from tests.cli.conftest import Result, Write

READ = "        history.append(loss.item())\n"
TRAIN = f"""\
import torch


def train(model, loader, optimizer):
    history = []
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
{READ}    return history
"""
CLEAN = TRAIN.replace(READ, "")


@pytest.fixture
def clone(program: Program, write: Write) -> Program:
    """A repository on a branch of its own, with one commit on main."""
    git(program.directory, "init", "-q", "-b", "main")
    write("train.py", CLEAN)
    write("old.py", TRAIN)
    commit(program)
    git(program.directory, "switch", "-q", "-c", "work")
    return program


def commit(program: Program) -> None:
    git(program.directory, "add", "-A")
    git(program.directory, "commit", "-qm", "a commit")


def since(program: Program, revision: str, *arguments: str) -> Result:
    return program("check", "--diff-base", revision, "--output-format", "concise", *arguments)


def test_old_findings_are_left_out(clone: Program) -> None:
    found = since(clone, "main")
    assert (found.code, found.out) == (
        0,
        "Found no new problem; 2 of 2 files train (1 not touched by what changed since main).\n",
    )


@pytest.mark.parametrize("state", ["committed", "staged", "neither"])
def test_a_changed_line_is_reported_in_every_state(clone: Program, write: Write, state: str) -> None:
    write("train.py", TRAIN)
    write("untracked.py", TRAIN)
    if state != "neither":
        git(clone.directory, "add", "train.py")
    if state == "committed":
        git(clone.directory, "commit", "-qm", "a read")
    found = since(clone, "main")
    assert found.code == 1
    assert [line.split(":")[0] for line in found.out.splitlines()[:-1]] == ["train.py", "untracked.py"]
    assert found.out.endswith("Found 2 new problems; 3 of 3 files train (1 not touched by what changed since main).\n")


def test_changes_on_the_other_branch_do_not_count(clone: Program, write: Write) -> None:
    """What main gained since is compared with nothing: the merge base is asked, not main itself."""
    write("train.py", CLEAN + "\n# work\n")
    commit(clone)
    git(clone.directory, "switch", "-q", "main")
    write("old.py", CLEAN)
    commit(clone)
    git(clone.directory, "switch", "-q", "work")
    assert since(clone, "main").code == 0


def test_lines_around_an_old_finding_may_change(clone: Program, write: Write) -> None:
    write("old.py", "import os\n" + TRAIN.replace("    return history", "    print(history)\n    return history"))
    assert since(clone, "main").code == 0


def test_a_renamed_file_is_not_new(clone: Program, write: Write) -> None:
    (clone.directory / "old.py").unlink()
    write("src/renamed.py", TRAIN.replace("    return history", "    print(history)\n    return history"))
    assert since(clone, "main").code == 0
    commit(clone)
    assert since(clone, "main").code == 0


def test_a_line_that_a_new_call_made_hot_is_reported_with_that_call(clone: Program, write: Write) -> None:
    """The line that waits is old; it is in no loop until another file calls it in one."""
    write("metrics.py", "import torch\n\n\ndef mean(loss: torch.Tensor):\n    return loss.cuda().mean().item()\n")
    commit(clone)
    git(clone.directory, "branch", "-f", "main")
    assert since(clone, "main").code == 0
    call = CLEAN.replace("        optimizer.step()\n", "        optimizer.step()\n        print(mean(loss))\n")
    write("train.py", call.replace("import torch\n", "import torch\n\nfrom metrics import mean\n", 1))
    found = since(clone, "main")
    assert found.code == 1, found
    assert found.out.startswith("metrics.py:5:"), found
    [finding] = json.loads(clone("check", "--diff-base", "main", "--output-format", "json").out)["findings"]
    assert (finding["related"][0]["path"], finding["related"][0]["line"]) == ("train.py", 13)
    # Judged alone, it says so as well: the change is in a file that is only read.
    assert since(clone, "main", "metrics.py").code == 1


def test_only_findings_of_the_change_are_fixed(clone: Program, write: Write) -> None:
    outdated = "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n"
    write("requirements.txt", "torch>=2.4\n")
    write("a.py", outdated)
    commit(clone)
    git(clone.directory, "branch", "-f", "main")
    write("b.py", outdated)
    assert clone("check", "--diff-base", "main", "--fix").code == 0
    assert (clone.directory / "a.py").read_text() == outdated
    assert "torch.cuda.amp" not in (clone.directory / "b.py").read_text()


def test_code_on_standard_input_is_compared(clone: Program) -> None:
    arguments = ("check", "-", "--stdin-filename", "train.py", "--diff-base", "main", "--output-format", "concise")
    assert clone(*arguments, stdin=CLEAN.encode()).code == 0
    assert clone(*arguments, stdin=TRAIN.encode()).out.startswith("train.py:11:")
    assert clone(*arguments[:3], "old.py", *arguments[4:], stdin=TRAIN.encode()).code == 0


def test_it_goes_with_a_baseline(clone: Program, write: Write) -> None:
    write("train.py", TRAIN)
    clone("baseline")
    found = since(clone, "main", "--baseline", ".trainlint-baseline.json")
    told = "Found no new problem; 2 of 2 files train (2 in the baseline, see --no-baseline).\n"
    assert (found.code, found.out) == (0, told)


def test_json_says_how_many_are_left_out(clone: Program) -> None:
    report = json.loads(clone("check", "--diff-base", "main", "--output-format", "json").out)
    assert report["diff_base"] == {"revision": "main", "outside": 1}


def test_files_of_several_repositories_are_compared_each_with_its_own(clone: Program, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(clone.directory, other)
    (other / "train.py").write_text(TRAIN)
    found = since(clone, "main", ".", str(other))
    assert found.code == 1
    assert [line.split(":")[0] for line in found.out.splitlines()[:-1]] == [f"{other}/train.py"]


def test_a_submodule_is_compared_with_the_commit_that_was_recorded(clone: Program, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "trunk")
    (other / "train.py").write_text(CLEAN)
    git(other, "add", "-A")
    git(other, "commit", "-qm", "a commit")
    git(clone.directory, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "known")
    commit(clone)
    git(clone.directory, "branch", "recorded")
    assert since(clone, "recorded").code == 0
    (clone.directory / "known/train.py").write_text(TRAIN)
    git(clone.directory / "known", "commit", "-qam", "a read")
    git(clone.directory, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "added")
    (clone.directory / "added/train.py").write_text(TRAIN)
    commit(clone)
    found = since(clone, "recorded")
    assert [line.split(":")[0] for line in found.out.splitlines()[:-1]] == ["added/train.py", "known/train.py"]
    assert since(clone, "main").out.count("train.py:") == 2, "main has neither of them"


def test_a_subdirectory_is_enough(clone: Program, write: Write) -> None:
    write("src/train.py", CLEAN)
    commit(clone)
    git(clone.directory, "branch", "-f", "main")
    write("src/train.py", TRAIN)
    inside = Program(clone.directory / "src", clone.environment)
    assert since(inside, "main").out.startswith("train.py:11:")


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("nothing", "knows no such commit; see `git branch -a`"),
        ("--upload-pack=x", "names a branch, a tag or a commit, which '--upload-pack=x' is not"),
        ("main..work", "knows no such commit"),
        ("", "--diff-base names a branch, a tag or a commit, which '' is not"),
        ("a\nb", "--diff-base names a branch, a tag or a commit"),
    ],
)
def test_what_names_no_commit_is_refused(clone: Program, revision: str, said: str) -> None:
    refused = clone("check", f"--diff-base={revision}")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), refused
    assert said in refused.err


def test_outside_of_a_repository_a_sentence_says_what_to_do(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    refused = since(program, "main")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "is in no git repository; leave it out, or use a baseline" in refused.err


def test_a_repository_without_a_commit_is_told(program: Program, write: Write) -> None:
    git(program.directory, "init", "-q", "-b", "main")
    write("train.py", TRAIN)
    assert "knows no such commit" in since(program, "main").err


def test_without_git_a_sentence_says_what_to_do(clone: Program, tmp_path: Path) -> None:
    empty = tmp_path / "programs"
    empty.mkdir()
    without = Program(clone.directory, {**clone.environment, "PATH": str(empty)})
    refused = since(without, "main")
    assert refused.code == 2
    assert refused.err == (
        "trainlint: --diff-base needs git, which is not on the PATH; install it, or leave out --diff-base\n"
    )


def test_a_shallow_clone_is_told_what_to_fetch(clone: Program, write: Write, tmp_path: Path) -> None:
    write("train.py", TRAIN)
    commit(clone)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "work", clone.directory.as_uri(), str(shallow))
    inside = Program(shallow, clean_environment())
    assert "this clone is shallow: run `git fetch --unshallow`" in since(inside, "origin/main").err
    git(shallow, "fetch", "-q", "--depth", "1", "origin", "main:main")
    assert "it has no commit in common with HEAD; this clone is shallow" in since(inside, "main").err


def test_unrelated_histories_are_told(clone: Program) -> None:
    git(clone.directory, "switch", "-q", "--orphan", "other")
    git(clone.directory, "commit", "-q", "--allow-empty", "-m", "another beginning")
    git(clone.directory, "switch", "-q", "work")
    assert "it has no commit in common with HEAD; name a branch that this one came from" in since(clone, "other").err


def test_variables_that_git_sets_for_its_hooks_do_not_lead_elsewhere(clone: Program, tmp_path: Path) -> None:
    elsewhere = {"GIT_DIR": str(tmp_path / "none"), "GIT_WORK_TREE": str(tmp_path), "GIT_INDEX_FILE": "none"}
    hook = Program(clone.directory, {**clone.environment, **elsewhere})
    assert since(hook, "main").code == 0


def test_of_a_notebook_only_the_code_counts(clone: Program, write: Write) -> None:
    """New outputs are no change; a changed loop counts in the cell that it stands in, whatever is above."""
    setup, step = "import torch\nmodel = torch.nn.Linear(4, 1).cuda()\n", CLEAN.replace("    return history\n", "")
    write("run.ipynb", notebook(setup, step))
    git(clone.directory, "add", "-A")
    git(clone.directory, "commit", "-qm", "a notebook")
    write("run.ipynb", notebook(setup, step, output="0.25\n"))
    assert since(clone, "HEAD").code == 0
    write("run.ipynb", notebook(setup, "x = 1\n", step + READ))
    found = since(clone, "HEAD")
    assert (found.code, found.out.count("TRN")) == (1, 1)
    assert found.out.startswith("run.ipynb:cell 3:11:24: TRN201 ")


def notebook(*cells: str, output: str = "") -> str:
    """The JSON of a notebook; each cell has printed `output`."""
    last = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    written: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "source": cell, "outputs": last}
        for cell in cells
    ]
    return json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
