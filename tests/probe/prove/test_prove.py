"""`trainlint prove`, as it is typed: a script before and after a change, on a simulated GPU."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainlint.cli import main

pytestmark = pytest.mark.slow

TRAIN = """\
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(12):
    inputs = torch.randn(3, 4)
    inputs = inputs.to("cuda")
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""

Prove = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return folder


@pytest.fixture
def prove(project: Path, tmp_path: Path) -> Prove:
    """The exit code and the document of what is typed, on five steps of a simulated GPU."""

    def run(*words: str, device: str = "simulated:h100") -> tuple[int, dict[str, Any]]:
        kept = tmp_path / "proof.json"
        settings = ["--device", device, "--warmup", "2", "--steps", "5", "--output-format", "json", "-o", str(kept)]
        code = main(["prove", *settings, *words, "train.py"])
        return code, json.loads(kept.read_text()) if kept.exists() else {}

    return run


@pytest.fixture
def before(project: Path, tmp_path: Path) -> Callable[[str, str], str]:
    """A copy of the project in which a text stands in the place of another."""

    def copy(new: str, old: str) -> str:
        folder = tmp_path / "before"
        folder.mkdir()
        assert new in TRAIN
        (folder / "train.py").write_text(TRAIN.replace(new, old))
        return str(folder)

    return copy


def git(*words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def contents(folder: Path) -> dict[Path, bytes]:
    """The files of a checkout."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path: path.read_bytes() for path in files}


def figure(document: dict[str, Any], name: str) -> tuple[float | None, float | None]:
    (found,) = [each for each in document["figures"] if each["name"] == name]
    return found["before"], found["after"]


def test_a_wait_that_goes_changes_nothing_else(prove: Prove, before: Callable[[str, str], str]) -> None:
    tree = before("losses.append(loss.item())", "losses.append(loss.item())\n    print(loss.item())")
    code, document = prove("--before", tree)
    assert code == 0
    assert document["training"]["answer"] == "same"
    assert (document["training"]["steps"], document["training"]["losses"]) == (8, 8)
    assert figure(document, "waits") == (2, 1)
    (line,) = document["lines"]
    assert (line["at"], line["before"], line["after"]) == ({"path": "train.py", "line": 15}, 1, 0)
    assert "waits 2 → 1" in document["message"]
    assert "losses and parameters bit-identical over 8 steps" in document["message"]


def test_the_step_is_told_from_which_losses_differ(prove: Prove, before: Callable[[str, str], str]) -> None:
    tree = before("optimizer.step()\n", "optimizer.step()\n    if step == 3:\n        model.weight.data.mul_(2)\n")
    code, document = prove("--before", tree)
    assert code == 1
    assert document["training"]["answer"] == "changed"
    assert document["training"]["first_step"] == 5  # it is doubled after the fourth
    loss = document["training"]["loss"]
    assert loss["relative"] == pytest.approx(abs(float(loss["after"]) / float(loss["before"]) - 1))


def test_a_draw_that_moves_to_the_gpu_is_told_though_losses_are_the_same_here(
    prove: Prove, before: Callable[[str, str], str]
) -> None:
    # As many calls draw on the GPU as before, others than before.
    tree = before("torch.randn(3, 4)\n", "torch.randn(3, 4, device='cuda') + 0 * torch.randn(3, 4).cuda()\n")
    (Path(tree).parent / "project" / "train.py").write_text(
        TRAIN.replace(
            "torch.randn(3, 4)\n    inputs = inputs",
            "torch.randn(3, 4).cuda() + 0 * torch.randn(3, 4, device='cuda')\n    inputs = inputs",
        )
    )
    code, document = prove("--before", tree)
    assert (code, document["training"]["answer"], document["training"]["first_step"]) == (1, "changed", 1)
    assert "12 random numbers on the CPU that were drawn on the GPU" in document["training"]["sentence"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import torch\nraise ValueError('no data')\n", "before the change, the script failed by its own fault: "),
        ("import torch\nprint(torch.ones(2))\n", "before the change, no optimizer step was seen"),
    ],
)
def test_a_script_that_never_steps_is_an_error(
    project: Path, prove: Prove, capfd: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    (project / "train.py").write_text(text)
    assert prove("--before", ".")[0] == 2
    assert sentence in capfd.readouterr().err


def test_a_change_with_which_the_script_fails_is_one(
    prove: Prove, project: Path, before: Callable[[str, str], str]
) -> None:
    tree = before("range(12)", "range(11)")
    (project / "train.py").write_text(TRAIN.replace("loss.backward()", "loss.backwards()"))
    code, document = prove("--before", tree)
    assert code == 1
    assert "after the change, the script failed by its own fault: AttributeError" in document["training"]["sentence"]


def test_a_script_that_fails_after_its_steps_is_compared_as_far_as_it_came(
    prove: Prove, project: Path, before: Callable[[str, str], str]
) -> None:
    tree = Path(before("losses.append(loss.item())", "losses.append(loss.item())\n    print(loss.item())"))
    for folder in (tree, project):
        text = (folder / "train.py").read_text().replace("range(12)", "range(6)")
        (folder / "train.py").write_text(f"{text}open('no such file')\n")
    code, document = prove("--before", str(tree))
    assert (code, document["training"]["answer"], document["training"]["steps"]) == (0, "same", 6)
    assert any("Before the change, after 6 steps, the script failed" in note for note in document["notes"])


def test_a_copy_that_no_longer_blocks_is_named_by_its_line(prove: Prove, before: Callable[[str, str], str]) -> None:
    tree = before("torch.randn(3, 4)\n", "torch.randn(3, 4).pin_memory()\n")
    text = (Path(tree) / "train.py").read_text()
    (Path(tree).parent / "project" / "train.py").write_text(
        text.replace('inputs.to("cuda")', 'inputs.to("cuda", non_blocking=True)')
    )
    _, document = prove("--before", tree)
    named = [(line["at"]["line"], line["what"].rpartition(", ")[2]) for line in document["lines"]]
    assert sorted(named) == [(9, "blocking"), (9, "non-blocking")]


def test_fixes_are_tried_without_being_written(prove: Prove, project: Path) -> None:
    text = TRAIN.replace(".mean()", '.mean() * torch.arange(3).to("cuda").sum()')
    (project / "train.py").write_text(text)
    code, document = prove()
    assert code == 0
    assert document["after"] == "with the fixes of TRN207 (1)"
    assert figure(document, "blocking copies") == (2, 1)
    assert (project / "train.py").read_text() == text


def test_without_a_fix_there_is_nothing_to_prove(
    prove: Prove, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert prove("--fixes", "TRN203")[0] == 2
    assert "no fix of TRN203 applies to the files that the script imports" in capfd.readouterr().err


class TestAgainst:
    """The working tree against a commit."""

    @pytest.fixture
    def repository(self, project: Path) -> Path:
        git("init", "-q")
        (project / "sizes.txt").write_text("3")
        (project / "train.py").write_text(TRAIN.replace("randn(3, 4)", "randn(int(open('sizes.txt').read()), 4)"))
        git("add", "train.py")
        git("commit", "-q", "-m", "first")
        return project

    def test_a_dirty_tree_is_what_the_change_is(self, repository: Path, prove: Prove) -> None:
        script = repository / "train.py"
        script.write_text(script.read_text().replace("losses.append(loss.item())", "losses.append(loss.detach())"))
        held = {
            path: path.read_bytes() for path in repository.rglob("*") if path.is_file() and ".git" not in path.parts
        }
        code, document = prove("--against", "HEAD")
        assert code == 0
        assert document["before"].startswith("commit ")
        assert figure(document, "waits") == (1, 0)
        # sizes.txt is not in the commit, and yet both find it; nothing in the checkout is another.
        assert contents(repository) == held
        assert not list((repository / ".git").glob("worktrees/*"))

    def test_a_changed_file_beside_the_working_directory_has_run(
        self, repository: Path, prove: Prove, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (repository / "lib").mkdir()
        (repository / "lib" / "reading.py").write_text("def read(loss):\n    return loss.item()\n")
        (repository / "sub").mkdir()
        script = "import sys\nsys.path.insert(0, '../lib')\nimport reading\n" + TRAIN
        (repository / "sub" / "train.py").write_text(script.replace("loss.item()", "reading.read(loss)"))
        git("add", ".")
        git("commit", "-q", "-m", "second")
        (repository / "lib" / "reading.py").write_text("def read(loss):\n    return loss.detach()\n")
        monkeypatch.chdir(repository / "sub")
        code, document = prove("--against", "HEAD")
        assert (code, document["training"]["answer"]) == (0, "same")
        assert [line["at"]["path"] for line in document["lines"]] == ["lib/reading.py"]

    def test_an_unknown_commit_is_refused(
        self, repository: Path, prove: Prove, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert prove("--against", "v0")[0] == 2
        assert "--against v0: the repository" in capfd.readouterr().err

    def test_outside_of_a_repository_it_is_refused(self, prove: Prove, capfd: pytest.CaptureFixture[str]) -> None:
        assert prove("--against", "HEAD")[0] == 2
        assert "start it inside of a git repository" in capfd.readouterr().err

    def test_a_project_that_is_installed_in_place_is_that_of_the_commit(
        self, repository: Path, prove: Prove, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (repository / "src").mkdir()
        (repository / "src" / "scale.py").write_text("SCALE = 1.0\n")
        script = repository / "train.py"
        script.write_text("import scale\n" + script.read_text().replace(".mean()", ".mean() * scale.SCALE"))
        git("add", ".")
        git("commit", "-q", "-m", "second")
        (repository / "src" / "scale.py").write_text("SCALE = 2.0\n")
        monkeypatch.setenv("PYTHONPATH", str(repository / "src"))
        code, document = prove("--against", "HEAD")
        assert code == 1
        assert document["training"]["first_step"] == 1


def test_on_the_cpu_the_training_is_compared_and_costs_are_not(prove: Prove, project: Path, before: Any) -> None:
    cpu = TRAIN.replace('"cuda"', '"cpu"')
    tree = before("losses.append(loss.item())", "losses.append(loss.detach())")
    for folder in (project, Path(tree)):
        (folder / "train.py").write_text(cpu)
    code, document = prove("--before", tree, device="cpu")
    assert code == 0
    assert document["training"]["losses"] == 8
    assert list(figure(document, "waits")) == [None, None]
