"""The templates of the probe's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.report import markup
from trainlint_probe.report.drawing import MISSING, MissingLibrary

if TYPE_CHECKING:
    from jinja2 import Environment


def html_environment(*packages: str) -> Environment:
    """Templates of these packages, first found first. Raises MissingLibrary where Jinja2 is not installed."""
    try:
        return markup.html_environment(*packages)
    except ImportError as error:
        raise MissingLibrary(MISSING) from error
