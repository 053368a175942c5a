"""What tests of several parts ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def permissions(tmp_path: Path) -> None:
    """Skip the test where permissions hold nobody back."""
    closed = tmp_path / "closed"
    closed.touch(mode=0)
    if os.access(closed, os.R_OK):
        pytest.skip("this user, such as root, may read and write everything")
