"""A small linked project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cache.project import write_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as the working directory."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    return tmp_path / "project"
