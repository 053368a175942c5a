"""What tests of the engine ask of both ways to find waits and copies."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["", "1"], ids=["analysis", "abstract run"])
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What finds waits and copies: the analysis of files, or an abstract run of the project ("1")."""
    monkeypatch.setenv("TRAINLINT_ABSTRACT_RUN", request.param)
    return str(request.param)
