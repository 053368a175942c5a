"""The fixes as codemods, run by LibCST's own tool on a project of several files."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trainlint import codemods
from trainlint.catalogue import installed_rules

if TYPE_CHECKING:
    from pathlib import Path


TRAIN = """\
from torch.cuda.amp import GradScaler
from torch.autograd import Variable
from model import Net

scaler = GradScaler()
model = Net().cuda()
for batch, target in loader:
    loss = model(Variable(batch.cuda(non_blocking=True))).sum()
    loss.backward()
    optimizer.step()
"""
MODEL = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(x.shape[1]).to(x.device)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.trainlint]\ntarget-torch = ">=2.4"\n')
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "broken.py").write_text("import torch\nprint torch\n")
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "libcst.tool", "codemod", "-x", *arguments, "--no-format", "--hide-progress"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_one_rule_is_applied_and_no_other(project: Path) -> None:
    done = run(project, "trainlint.codemods.CudaAmpNamespace", "train.py", "model.py")
    assert done.returncode == 0, done.stderr
    text = (project / "train.py").read_text()
    assert text == TRAIN.replace("torch.cuda.amp", "torch.amp").replace("GradScaler()", 'GradScaler("cuda")')
    assert (project / "model.py").read_text() == MODEL
    run(project, "trainlint.codemods.CudaAmpNamespace", "train.py")
    assert (project / "train.py").read_text() == text, "a second run changes nothing"


def test_all_safe_fixes_with_what_other_files_say(project: Path) -> None:
    """That the forward runs in each step is known from train.py alone."""
    (project / "pyproject.toml").write_text('[tool.trainlint]\npreview = true\ntarget-torch = ">=2.4"\n')
    assert run(project, "trainlint.codemods.SafeFixes", ".", "--jobs", "2").returncode == 1, "one file is no Python"
    assert "torch.arange(x.shape[1], device=x.device)" in (project / "model.py").read_text()
    assert "Variable(batch.cuda" in (project / "train.py").read_text(), "the fix is unsafe"
    assert 'GradScaler("cuda")' in (project / "train.py").read_text()
    assert (project / "broken.py").read_text() == "import torch\nprint torch\n"


def test_a_rule_that_is_not_allowed_by_the_project_is_applied_where_it_is_named(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.trainlint]\nignore = ["TRN810"]\n')
    run(project, "trainlint.codemods.SafeFixes", "--level", "unsafe", "train.py")
    assert "Variable(batch.cuda" in (project / "train.py").read_text()
    run(project, "trainlint.codemods.AutogradVariable", "--level", "unsafe", "train.py")
    assert "Variable" not in (project / "train.py").read_text()


def test_a_name_that_is_no_rule_is_refused(project: Path) -> None:
    done = run(project, "trainlint.codemods.Nothing", "train.py")
    assert done.returncode != 0
    assert "no rule with a fix is called Nothing" in done.stderr


def test_each_rule_with_a_fix_has_a_codemod_that_other_processes_find() -> None:
    for rule in (rule for rule in installed_rules() if rule.fix_safety):
        codemod = getattr(codemods, codemods.class_name(rule))
        assert codemod.code == rule.code
        assert pickle.loads(pickle.dumps(codemod)) is codemod
