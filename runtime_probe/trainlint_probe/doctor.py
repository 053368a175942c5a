"""`trainlint doctor`: the machine and the software, as a training would find them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.evidence.as_json import Damaged, from_json, to_json
from trainlint.evidence.run import Environment
from trainlint.import_path import environment_for_workers
from trainlint.report.characters import sentence
from trainlint.report.settings import Style, style_for
from trainlint.report.terminal import as_written, wrapped
from trainlint_probe.options import doctor_parser

_PATIENCE = 120.0
"""Seconds. The first import of PyTorch on a slow disk takes tens of them."""


def examine(arguments: Sequence[str]) -> int:
    """Print the environment; 1 where something is off with it. Raises UsageError where it cannot be asked."""
    options = doctor_parser().parse_args(list(arguments))
    environment = _with_missing_torch(_asked())
    if options.output_format == "json":
        console.out(json.dumps(to_json(environment), indent=2) + "\n")
    else:
        style = style_for(sys.stdout, options.color)
        console.out(as_written(_lines(environment, style), style))
    return 1 if environment.concerns else 0


def _with_missing_torch(environment: Environment) -> Environment:
    """The same, in which it is off that the training's PyTorch cannot be imported."""
    if "torch" in environment.facts:
        return environment
    missing = (
        f"PyTorch is not installed for {sys.executable}: install trainlint in the environment of your training, and "
        "run it there."
    )
    return replace(environment, concerns=(missing, *environment.concerns))


def _asked() -> Environment:
    """What a process of its own says, which imports PyTorch where it is installed, and nothing from the working
    directory.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="trainlint-doctor-") as nowhere:
            asked = subprocess.run(
                [sys.executable, "-m", "trainlint_probe.environment", str(Path.cwd())],
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
                check=True,
                cwd=nowhere,
                env={**os.environ, **environment_for_workers()},
            )
        return from_json(json.loads(asked.stdout), Environment)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"PyTorch could not be asked in {_PATIENCE:.0f} s; try `python -c 'import torch'`") from error
    except subprocess.CalledProcessError as error:
        last = error.stderr.strip().rpartition("\n")[2] or f"it ended with code {error.returncode}"
        raise UsageError(f"PyTorch could not be asked ({last}); try `python -c 'import torch'`") from error
    except (Damaged, ValueError) as error:
        raise UsageError(f"what PyTorch's process said could not be read ({error})") from error


def _lines(environment: Environment, style: Style) -> Iterator[Text]:
    width = max(map(len, environment.facts), default=0)
    for name, value in environment.facts.items():
        yield Text.assemble((f"{name:<{width}}  ", "bold"), sentence(value, unicode=style.unicode))
    yield Text()
    for concern in environment.concerns:
        line = Text.assemble(("off: ", "bold yellow"), sentence(concern, unicode=style.unicode))
        yield from wrapped(line, style, indent="  ")
    if not environment.concerns:
        yield Text("Nothing is off.", "green")
