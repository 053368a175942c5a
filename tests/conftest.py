"""What tests of several parts ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is. No test may pass or fail by it.
settings.register_profile("no clocks", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clocks")


@pytest.fixture
def permissions(tmp_path: Path) -> None:
    """Skip the test where permissions hold nobody back."""
    closed = tmp_path / "closed"
    closed.touch(mode=0)
    if os.access(closed, os.R_OK):
        pytest.skip("this user, such as root, may read and write everything")
