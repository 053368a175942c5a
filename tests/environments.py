"""Small Python environments of their own, into which a test installs what it needs."""

from __future__ import annotations

import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def new_environment(directory: Path, *on_path: Path) -> Path:
    """Make a virtual environment and return its site-packages. Its Python also sees `on_path`, by a path file."""
    venv.EnvBuilder(symlinks=sys.platform != "win32").create(directory)
    site = next(directory.glob("lib/python*/site-packages"), directory / "Lib/site-packages")
    (site / "checkout.pth").write_text("".join(f"{path}\n" for path in on_path), encoding="utf-8")
    return site


def python_of(site: Path) -> str:
    """The Python of an environment, by its site-packages."""
    windows = site.parents[1] / "Scripts/python.exe"
    return str(windows if windows.exists() else site.parents[2] / "bin/python")


def install_trainlint(site: Path) -> None:
    """trainlint as it is installed here, with its own rules, the probe, and all that they need."""
    [information] = Path(str(distribution("trainlint").locate_file(""))).glob("trainlint-*.dist-info")
    for file in ("METADATA", "entry_points.txt"):
        copy = site / information.name / file
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes((information / file).read_bytes())
