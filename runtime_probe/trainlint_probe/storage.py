"""The file that a process under watch leaves its evidence in, and that its parent reads."""

from __future__ import annotations

import json
import os
from pathlib import Path

from trainlint.evidence.as_json import Damaged, from_json, to_json
from trainlint.evidence.run import Run

VERSION = 1
"""Of the layout. A reader refuses any other."""

_AGAIN = "Run `trainlint probe` again."


def write_run(run: Run, path: Path) -> None:
    """Write a run as JSON. A reader sees the whole file or none."""
    text = json.dumps({"trainlint evidence": VERSION, "run": to_json(run)}, indent=1, allow_nan=False)
    written = path.with_name(f".{path.name}.{os.getpid()}")
    written.write_text(text + "\n", encoding="utf-8")
    written.replace(path)


def read_run(path: Path) -> Run:
    """The run that a file holds. Raises Damaged, and OSError where the file cannot be read."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Damaged(f"{path} is not JSON ({error}): it was cut off or edited. {_AGAIN}") from None
    version = whole.get("trainlint evidence") if isinstance(whole, dict) else None
    if version != VERSION:
        found = "says nothing of its layout" if version is None else f"has layout {version!r}"
        raise Damaged(f"{path} {found}, and this trainlint reads layout {VERSION}. {_AGAIN}")
    try:
        return from_json(whole.get("run"), Run)
    except Damaged as damage:
        raise Damaged(f"{path}: {damage} {_AGAIN}") from None
