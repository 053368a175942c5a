"""Which torch versions a specifier or a project's requirements stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.config.stated_torch import find_target_torch
from trainlint.config.torch_range import TorchRange, parse_torch_range

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.config.torch_range import Version


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        (">=2.4", TorchRange((2, 4))),
        ("2.4", TorchRange((2, 4))),
        (">= 2.4 , < 2.14", TorchRange((2, 4), (2, 14))),
        (">=2.4,<2.6.1", TorchRange((2, 4), (2, 7))),
        (">=2.4,<=2.6", TorchRange((2, 4), (2, 7))),
        (">2.3", TorchRange((2, 3))),
        ("==2.4.1", TorchRange((2, 4), (2, 5))),
        ("==2.4.1+cu118", TorchRange((2, 4), (2, 5))),
        ("==2.*", TorchRange((2, 0), (3, 0))),
        ("~=2.4", TorchRange((2, 4), (3, 0))),
        ("~=2.4.1", TorchRange((2, 4), (2, 5))),
        ("~=2.4.0", TorchRange((2, 4), (2, 5))),
        ("^2.4", TorchRange((2, 4), (3, 0))),
        ("~2.4", TorchRange((2, 4), (2, 5))),
        ("=2", TorchRange((2, 0), (3, 0))),
        (">=1.10,!=1.12.0", TorchRange((1, 10))),
        (">=2", TorchRange((2, 0))),
        ("<2.14", TorchRange(None, (2, 14))),
        ("!=2.1", None),
        ("*", None),
    ],
)
def test_specifier(specifier: str, expected: TorchRange | None) -> None:
    assert parse_torch_range(specifier) == expected


@pytest.mark.parametrize("text", ["new", "", ">=", ">=2.4;<3", ">=2.4 <3"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no version; write one such as"):
        parse_torch_range(text)


def test_a_range_that_admits_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r'">=2\.4,<2\.4" admits no version'):
        parse_torch_range(">=2.4,<2.4")


_versions = st.tuples(st.integers(0, 3), st.integers(0, 20))


@given(st.none() | _versions, st.none() | _versions)
def test_a_range_is_read_back_from_what_it_prints(
    minimum: tuple[int, int] | None, maximum: tuple[int, int] | None
) -> None:
    if (minimum or maximum) and (minimum is None or maximum is None or minimum < maximum):
        torch = TorchRange(minimum, maximum)
        assert parse_torch_range(str(torch)) == torch


REQUIREMENTS = {
    "pyproject.toml, dependencies": (
        "pyproject.toml",
        '[project]\ndependencies = ["torchvision>=0.3", "torch >= 2.1, < 3 ; python_version > \'3.9\'"]\n',
        TorchRange((2, 1), (3, 0)),
    ),
    "pyproject.toml, an extra": (
        "pyproject.toml",
        '[project]\ndependencies = ["torch"]\n[project.optional-dependencies]\ngpu = ["torch[opt-einsum]>=2.2"]\n',
        TorchRange((2, 2)),
    ),
    "Poetry": ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.0"\n', TorchRange((2, 0), (3, 0))),
    "Poetry, a table in a group": (
        "pyproject.toml",
        '[tool.poetry.group.train.dependencies]\ntorch = { version = "2.3.1", source = "gpu" }\n',
        TorchRange((2, 3), (2, 4)),
    ),
    "Poetry, alternatives": (
        "pyproject.toml",
        '[tool.poetry.dependencies]\ntorch = "^1.13 || ^2.0"\n',
        TorchRange((1, 13), (3, 0)),
    ),
    "setup.cfg": (
        "setup.cfg",
        "[options]\ninstall_requires =\n    numpy\n    torch>=1.13\n[options.extras_require]\nx = torch>=2.0\n",
        TorchRange((1, 13)),
    ),
    "setup.py": (
        "setup.py",
        "raise SystemExit('never executed')\n"
        "DEPS = ['torch-geometric>=9', 'torch>=1.12']\n"
        "setup(install_requires=DEPS)\n",
        TorchRange((1, 12)),
    ),
    "requirements.txt": (
        "requirements.txt",
        "# torch>=9\ntorch-ema>=9\ntorch==2.4.1 \\\n    --hash=sha256:00\n",
        TorchRange((2, 4), (2, 5)),
    ),
    "requirements-gpu.txt": ("requirements-gpu.txt", "torch>=2.5  # for flex attention\n", TorchRange((2, 5))),
    "requirements/base.txt": ("requirements/base.txt", "torch>=2.6 --extra-index-url https://x\n", TorchRange((2, 6))),
    "two lines of one requirement": (
        "requirements.txt",
        "torch>=2.2; sys_platform == 'darwin'\ntorch>=2.4; sys_platform != 'darwin'\n",
        TorchRange((2, 2)),
    ),
    "no lower bound": ("requirements.txt", "torch<3\n", TorchRange(None, (3, 0))),
    "a wheel": (
        "requirements.txt",
        "torch @ https://example.org/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl#sha256=00\n",
        TorchRange((2, 1), (2, 2)),
    ),
    "a wheel alone": (
        "requirements.txt",
        "./wheels/torch-2.3.1+cpu-cp310-cp310-linux_x86_64.whl\n",
        TorchRange((2, 3), (2, 4)),
    ),
    "the wheel of another": ("requirements.txt", "./torchvision-0.18-py3-none-any.whl\n", None),
    "dependency groups": (
        "pyproject.toml",
        '[dependency-groups]\ntest = ["pytest"]\ntrain = [{ include-group = "test" }, "torch>=2.3"]\n',
        TorchRange((2, 3)),
    ),
    "conda, any patch release": ("environment.yml", "dependencies:\n- pytorch=2.1\n", TorchRange((2, 1), (2, 2))),
    "conda, any minor one": ("environment.yaml", "dependencies: [pytorch=2]\n", TorchRange((2, 0), (3, 0))),
    "conda, with a build": (
        "conda.yaml",
        "dependencies:\n- pytorch::pytorch==2.1.0=py3.10_cuda11.8\n",
        TorchRange((2, 1), (2, 2)),
    ),
    "conda, a range": ("environment.yml", "dependencies: ['pytorch >=2.1,<2.4']\n", TorchRange((2, 1), (2, 4))),
    "conda's pip": (
        "environment.yml",
        "dependencies:\n- pytorch-cuda=12.1\n- pip:\n  - torch==2.2.0\n",
        TorchRange((2, 2), (2, 3)),
    ),
    "conda, pytorch-cuda alone": ("environment.yml", "dependencies:\n- pytorch-cuda=12.1\n", None),
    "an image": (
        "Dockerfile",
        "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel AS build\n",
        TorchRange((2, 4), (2, 5)),
    ),
    "what an image installs": (
        "Dockerfile",
        "FROM ubuntu:22.04\nRUN apt-get update && \\\n pip3 install numpy==1 'torch==1.13.1' torchvision==0.14.1\n",
        TorchRange((1, 13), (1, 14)),
    ),
    "one of several images": ("Dockerfile.gpu", "FROM docker.io/pytorch/pytorch:2.2.0\n", TorchRange((2, 2), (2, 3))),
    "the newest image": ("Dockerfile", "FROM pytorch/pytorch:latest\nRUN pip install torch\n", None),
    "an image of another": ("Dockerfile", "FROM nvcr.io/nvidia/pytorch:24.05-py3\n", None),
    "a directory of images": (
        "docker/Dockerfile",
        "RUN pip install --user torch==1.9.1\n",
        TorchRange((1, 9), (1, 10)),
    ),
    "torchvision does not count": ("requirements.txt", "torchvision==0.8\n", None),
    "torchvision does not count beside torch": (
        "requirements.txt",
        "torchvision>=0.5\ntorch>=1.13\n",
        TorchRange((1, 13)),
    ),
    "a README, what pip installs": (
        "README.md",
        "# Model\n```\npip install torch==1.10.0+cu111 torchvision==0.11.1+cu111 -f https://x.org\n```\n",
        TorchRange((1, 10), (1, 11)),
    ),
    "a README, what conda installs": (
        "README.md",
        "`conda install pytorch=1.6.0 cudatoolkit=10.1 -c pytorch`\n",
        TorchRange((1, 6), (1, 7)),
    ),
    "a README, an image": (
        "README.rst",
        "docker run -it pytorch/pytorch:1.2-cuda10.0-cudnn7-devel bash\n",
        TorchRange((1, 2), (1, 3)),
    ),
    "a README, a sentence": ("readme.md", "It runs on Python 3.8 and PyTorch 1.8.1.\n", TorchRange((1, 8))),
    "a README, a link": ("README.md", "* [PyTorch](http://pytorch.org/) version >= 1.5.0\n", TorchRange((1, 5))),
    "a README, the oldest of several": (
        "README.md",
        "PyTorch 2.1\n\nPyTorch `1.12` works, too.\n",
        TorchRange((1, 12)),
    ),
    "a README, a list": ("README_of_a_model.md", "> - PyTorch ≥ 1.9.1\n", TorchRange((1, 9))),
    "a README, the oldest of what is installed and tested": (
        "README.md",
        "Tested with PyTorch 1.4.\n\n`conda install pytorch=1.6.0 -c pytorch`\n",
        TorchRange((1, 4)),
    ),
    "a README, a part of the code": (
        "README.md",
        "On CPU, turn off PyTorch 2.0 compile with `--compile=False`.\n",
        None,
    ),
    "a README, news": ("README.md", "Our layers came to PyTorch 2.0 this year.\n", None),
    "a README, a condition": ("README.md", "`flash = True  # if you have pytorch 2.0`\n", None),
    "a README, other packages": (
        "README.md",
        "pytorch-lightning==1.5.0, PyTorch Geometric 2.0, nvcr.io/nvidia/pytorch:19.10-py3\n",
        None,
    ),
    "nothing of torch": ("requirements.txt", "numpy>=2\n", None),
    "a version nobody can read": ("requirements.txt", "torch>=two\n", None),
}


@pytest.mark.parametrize(("file", "text", "expected"), REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_target_is_found_in(tmp_path: Path, file: str, text: str, expected: TorchRange | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "src").mkdir()

    assert find_target_torch(tmp_path / "src").versions == expected


def test_requirements_outside_the_project_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch>=2.5\n", encoding="utf-8")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)

    assert find_target_torch(project).versions is None


def test_a_readme_counts_for_the_projects_in_its_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("PyTorch 1.8\n", encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("torch==2.5.0\n", encoding="utf-8")
    part = tmp_path / "part"
    part.mkdir()
    (part / "setup.py").write_text("setup()\n", encoding="utf-8")

    assert find_target_torch(part).versions == TorchRange((1, 8))


def test_an_older_statement_above_counts_up_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==1.0\n", encoding="utf-8")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "setup.cfg").write_text("[options]\ninstall_requires = torch>=1.7\n", encoding="utf-8")
    part = repository / "part"
    part.mkdir()
    (part / "requirements.txt").write_text("torch>=2.5\n", encoding="utf-8")

    assert find_target_torch(part).versions == TorchRange((1, 7))


def test_without_a_repository_the_nearest_directory_counts(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==1.0\n", encoding="utf-8")
    (tmp_path / "part" / "src").mkdir(parents=True)
    (tmp_path / "part" / "requirements.txt").write_text("torch>=2.5\n", encoding="utf-8")

    assert find_target_torch(tmp_path / "part" / "src").versions == TorchRange((2, 5))


WRITTEN = {
    "requirements.txt": ("requirements.txt", "numpy\ntorch==1.7.1\n", 2),
    "Poetry": ("pyproject.toml", '[tool.poetry.dependencies]\nnumpy = "1.7"\ntorch = "^1.7"\n', 3),
    "a README": ("README.md", "# PyTorch\n\n`pip install torch==1.7.1`\n", 3),
}


@pytest.mark.parametrize(("file", "text", "line"), WRITTEN.values(), ids=WRITTEN)
def test_the_file_and_line_of_the_oldest_statement_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, line: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch>=2.1'])\n", encoding="utf-8")
    (tmp_path / file).write_text(text, encoding="utf-8")

    found = find_target_torch(tmp_path).versions
    assert found is not None
    assert found.where == f"{file}:{line}"


def test_a_readme_above_a_project_without_repository_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("PyTorch 1.8\n", encoding="utf-8")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "setup.py").write_text("setup()\n", encoding="utf-8")

    assert find_target_torch(tmp_path / "part").versions is None


def test_requirements_are_read_anew_when_they_change(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("torch>=2.5\n", encoding="utf-8")
    assert find_target_torch(tmp_path).versions == TorchRange((2, 5))

    requirements.write_text("torch>=2.6\n", encoding="utf-8")

    assert find_target_torch(tmp_path).versions == TorchRange((2, 6))


TOGETHER = {
    "an older README counts beside what is declared": (
        {"requirements.txt": "torch>=2.1\n", "README.md": "`pip install torch==1.7.1`\n"},
        ((1, 7), None),
    ),
    "pins of two files are a range": (
        {"requirements.txt": "torch==2.1.0\n", "README.md": "`pip install torch==1.7.1`\n"},
        ((1, 7), (2, 2)),
    ),
    "a README where nothing else names a version": (
        {"requirements.txt": "torch\n", "README.md": "PyTorch 1.8\n"},
        ((1, 8), None),
    ),
    "the oldest of several READMEs": (
        {"README.md": "PyTorch 2.1\n", "README_zh.md": "PyTorch 1.12\n"},
        ((1, 12), None),
    ),
    "an upper bound is kept": (
        {"setup.cfg": "[options]\ninstall_requires = torch<2.6\n", "requirements.txt": "torch>=2.1"},
        ((2, 1), (2, 6)),
    ),
}


@pytest.mark.parametrize(("files", "expected"), TOGETHER.values(), ids=TOGETHER)
def test_files_together(tmp_path: Path, files: dict[str, str], expected: tuple[Version | None, Version | None]) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert find_target_torch(tmp_path).versions == TorchRange(*expected)


def test_what_a_range_has_and_lacks() -> None:
    known, below = TorchRange((2, 1), (2, 6)), TorchRange(None, (2, 3))
    assert (known.has((2, 1)), known.has((2, 2)), below.has((1, 0))) == (True, False, False)
    assert (known.lacks((2, 1)), known.lacks((2, 2))) == (False, True)
    assert (below.lacks((2, 2)), below.lacks((2, 3))) == (False, True)
    assert (known.reaches((2, 5)), known.reaches((2, 6))) == (True, False)
