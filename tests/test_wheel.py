"""What a user's site-packages gets: three packages, one command, one door for rule packs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # it builds a source distribution and a wheel
PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source distribution, and a wheel that was built from nothing but it."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(PROJECT)]
    built = subprocess.run(build, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (wheel,) = dist.glob("trainlint-*-py3-none-any.whl")
    return wheel


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked, as in a site-packages folder."""
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run_installed(site: Path, code: str) -> list[str]:
    """Run code that sees the unpacked wheel first, from a folder that holds no checkout. No bytecode is left there."""
    program = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    done = subprocess.run([sys.executable, "-I", "-B", "-c", program], cwd=site.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_three_packages_and_nothing_else(site: Path) -> None:
    packages = {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")}
    assert packages == {"trainlint", "trainlint_rules", "trainlint_probe"}


def test_only_code_schemas_and_type_markers_are_shipped(site: Path) -> None:
    (info,) = site.glob("*.dist-info")
    shipped = [path.relative_to(site) for path in site.rglob("*") if path.is_file() and info not in path.parents]
    suffixes = {path.suffix for path in shipped if path.name != "py.typed"}
    assert suffixes <= {".py", ".json"}
    typed = {path.parent.as_posix() for path in shipped if path.name == "py.typed"}
    assert typed == {"trainlint", "trainlint_rules", "trainlint_probe"}


def test_every_module_of_the_checkout_is_shipped(site: Path) -> None:
    homes = {"trainlint": PROJECT, "trainlint_rules": PROJECT / "rules", "trainlint_probe": PROJECT / "runtime_probe"}
    for package, root in homes.items():
        here = {path.relative_to(root).as_posix() for path in (root / package).rglob("*.py")}
        there = {path.relative_to(site).as_posix() for path in (site / package).rglob("*.py")}
        assert here == there


def test_the_command_and_the_door_for_rule_packs(site: Path) -> None:
    (info,) = site.glob("*.dist-info")
    entries = ConfigParser()
    entries.read(info / "entry_points.txt")
    assert dict(entries["console_scripts"]) == {"trainlint": "trainlint.cli:main"}
    assert dict(entries["trainlint.rules"]) == {"trainlint": "trainlint_rules"}


def test_the_wheel_says_what_it_is(site: Path) -> None:
    (info,) = site.glob("*.dist-info")
    metadata = (info / "METADATA").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.+)"', (PROJECT / "trainlint" / "__init__.py").read_text(encoding="utf-8"))
    assert version is not None
    assert f"\nVersion: {version[1]}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.10\n" in metadata
    assert (info / "licenses" / "LICENSE").is_file()
    needed = {line.split(":", 1)[1].strip() for line in metadata.splitlines() if line.startswith("Requires-Dist:")}
    always = {re.split(r"[<>=;]", need)[0].strip() for need in needed if "extra ==" not in need}
    assert always == {"libcst", "packaging", "platformdirs", "pyyaml", "rich", "tomli"}


def test_the_installed_command_finds_the_installed_rules(site: Path) -> None:
    lines = run_installed(
        site,
        "import trainlint, trainlint_rules\n"
        "from trainlint.packs import load_rules\n"
        "from trainlint.cli import main\n"
        "print(trainlint.__file__); print(trainlint_rules.__file__)\n"
        "print(len(load_rules()))\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n",
    )
    assert lines[0].startswith(str(site))
    assert lines[1].startswith(str(site))
    assert int(lines[2]) >= 14
    assert re.search(r"\d+\.\d+\.\d+", lines[3])


def test_the_source_distribution_can_be_tested_and_holds_no_leftovers(dist: Path) -> None:
    (archive,) = dist.glob("trainlint-*.tar.gz")
    with tarfile.open(archive) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/test_wheel.py", "rules/new_rule.py"} <= names
    assert not [name for name in names if "__pycache__" in name or ".venv" in name or name.startswith(".git/")]


def test_a_package_index_would_take_both_and_show_the_readme(dist: Path) -> None:
    twine = [sys.executable, "-m", "twine", "check", "--strict", *map(str, dist.iterdir())]
    done = subprocess.run(twine, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


@pytest.mark.network
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_the_source_distribution_works_in_an_empty_environment(dist: Path, tmp_path: Path, version: str) -> None:
    """With each Python that is on the machine."""
    python = python_called(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    subprocess.run([python, "-m", "venv", str(tmp_path / "empty")], check=True, capture_output=True, timeout=120)
    programs = next(path for name in ("bin", "Scripts") if (path := tmp_path / "empty" / name).is_dir())
    (archive,) = dist.glob("trainlint-*.tar.gz")
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet", str(archive)]
    done = subprocess.run(install, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode and "No matching distribution" not in done.stderr and "onnection" in done.stderr:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    (tmp_path / "requirements.txt").write_text("torch>=2.4\n")
    (tmp_path / "train.py").write_text("import torch\n\nscaler = torch.cuda.amp.GradScaler()\n")
    check = [
        str(programs / "trainlint"),
        "check",
        "train.py",
        "--output-format",
        "junit=report.xml",
        "--select",
        "TRN801",
    ]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert "TRN801" in (tmp_path / "report.xml").read_text(encoding="utf-8")


def python_called(version: str) -> str | None:
    """A Python of this version that starts: on the path, or one that pyenv has installed."""
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in (*map(str, installed), shutil.which(f"python{version}")):
        if candidate:
            command = [candidate, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            if done.stdout.strip() == version:
                return candidate
    return None
