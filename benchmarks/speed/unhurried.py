"""Runs trainlint without two of its shortcuts, to prove that they change no report: `python unhurried.py check ...`.

Every rule is imported before the first file is read, and every file is judged, also one without a word of training.
"""

from __future__ import annotations

import sys

from trainlint.cli import main
from trainlint.engine import work
from trainlint.packs import load_rules


def unhurried() -> int:
    """Judge in the long way. Returns trainlint's exit code."""
    load_rules()
    asked = vars(work)
    if "may_hold_findings" not in asked:
        raise SystemExit(
            "trainlint.engine.work no longer asks the gate: benchmarks/speed/unhurried.py must say who does"
        )
    asked["may_hold_findings"] = lambda data: True
    return main()


if __name__ == "__main__":
    sys.exit(unhurried())
