"""The files that may say which torch versions a project targets: their names, their bounds, how each is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from trainlint.bounded import CONDA_BYTES, LOCK_BYTES, REQUIREMENTS_BYTES, SHIPPED_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch.requirements import Requirements
    from trainlint.config.torch_range import TorchRange

    _Reader = Callable[[str], Iterable[TorchRange | None]]

FIRST = ("pyproject.toml", "setup.cfg", "setup.py", "Pipfile")
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")


def is_read(name: str) -> bool:
    """Whether a file or directory of this name may say which torch versions are targeted."""
    if name in FIRST or name in LOCKS or name in ("requirements", "docker", "docs"):
        return True
    return is_requirements(name) or is_conda(name) or is_dockerfile(name) or is_readme(name)


def is_dockerfile(name: str) -> bool:
    """Whether a file of this name may describe an image, such as `Dockerfile` or `Dockerfile.gpu`."""
    return name == "Dockerfile" or name.startswith("Dockerfile.")


def is_requirements(name: str) -> bool:
    """Whether a file of this name holds requirements as pip reads them."""
    return name.startswith("requirements") and name.endswith(".txt")


def is_readme(name: str) -> bool:
    """Whether a file of this name introduces what lies in its directory, such as `README.md` or `README_zh.md`."""
    stem, _, ending = name.lower().partition(".")
    return stem.startswith("readme") and not stem[6:7].isalnum() and ending in ("", "md", "rst", "txt")


def is_conda(name: str) -> bool:
    """Whether a file of this name may describe a conda environment."""
    return name.startswith(("environment", "conda")) and name.endswith((".yml", ".yaml"))


def bound(name: str) -> int:
    """The most bytes that are read of a file of this name."""
    if name in LOCKS:
        return LOCK_BYTES
    if is_readme(name):
        return SHIPPED_BYTES
    return CONDA_BYTES if is_conda(name) else REQUIREMENTS_BYTES


def read_requirements(name: str, data: bytes) -> Requirements:
    """What a file says of torch, and which files it includes. One without a format of its own holds requirements."""
    from trainlint.config.torch.requirements import Requirements, in_requirements

    has_format = name in FIRST or name in LOCKS or is_conda(name) or is_dockerfile(name) or is_readme(name)
    if not has_format:
        return in_requirements(_decoded(data))
    if b"torch" not in data.lower():  # parsers cost time to import
        return Requirements()
    # Lock files are too large to be remembered.
    return Requirements(_ranges(name, data) if name in LOCKS else _remembered(name, data))


@lru_cache(maxsize=32)
def _remembered(name: str, data: bytes) -> tuple[TorchRange, ...]:
    """A file is often the nearest one to many directories."""
    return _ranges(name, data)


def _ranges(name: str, data: bytes) -> tuple[TorchRange, ...]:
    return tuple(found for found in _reader(name)(_decoded(data)) if found is not None)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def _reader(name: str) -> _Reader:
    if is_conda(name):
        from trainlint.config.torch.conda import in_conda

        return in_conda
    if is_dockerfile(name):
        from trainlint.config.torch.images import in_dockerfile

        return in_dockerfile
    if is_readme(name):
        from trainlint.config.torch.readme import in_readme

        return in_readme
    if name in LOCKS:
        from trainlint.config.torch import locks

        return locks.in_pipfile_lock if name == "Pipfile.lock" else locks.in_lock
    from trainlint.config.torch import projects

    readers: dict[str, _Reader] = {
        "pyproject.toml": projects.in_pyproject,
        "setup.cfg": projects.in_setup_cfg,
        "setup.py": projects.in_setup_py,
        "Pipfile": projects.in_pipfile,
    }
    return readers[name]
