"""Files that services read, by the schemas that check-jsonschema carries, so that no network is needed."""

from __future__ import annotations

from pathlib import Path

import pytest


def faults(schema: str, file: Path) -> str:
    """What check-jsonschema has against a file; empty where it is valid. Skips the test where it is not installed."""
    command = pytest.importorskip("check_jsonschema.cli.main_command").main
    testing = pytest.importorskip("click.testing")
    done = testing.CliRunner().invoke(command, ["--builtin-schema", schema, str(file)])
    assert done.exit_code in (0, 1), done.output
    return str(done.output) if done.exit_code else ""
