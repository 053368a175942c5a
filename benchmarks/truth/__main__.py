"""`python -m benchmarks.truth [NAME ...]`: what trainlint finds of what libraries really do in each step.

Runs each script of benchmarks/truth/scripts on a simulated GPU, in an environment with the library that it is for, runs
`trainlint check` on that library, and prints one table. Results are kept in build/truth, so that the table can be made
again without a run (`--keep`), and another trainlint compared (`--trainlint`, `--against`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.truth.compare import Comparison, compare
from benchmarks.truth.record import Record, as_json, from_json
from benchmarks.truth.run import ROOT, NotRun, environment_for, flags_in, record_of
from benchmarks.truth.scripts_of import Script, for_development, read_scripts
from benchmarks.truth.table import as_data, as_markdown, changes
from trainlint.catalogue import installed_rules
from trainlint.symptoms import Symptom

_SHOWN_BY_A_RUN = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})
SPENT: Sequence[str] = ()
"""Packages of the counted half whose misses have been looked at."""


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 2 where a script could not be run."""
    asked = _arguments(words)
    scripts = [script for script in read_scripts() if not asked.names or script.name in asked.names]
    unknown = {*asked.names} - {script.name for script in scripts}
    if unknown or not scripts:
        sys.stderr.write(f"there is no script {', '.join(sorted(unknown))}\n")
        return 2
    asked.results.mkdir(parents=True, exist_ok=True)
    records: dict[str, list[Record]] = {}
    not_run: dict[str, str] = {}
    for script in scripts:
        try:
            record = _record(script, asked)
        except NotRun as why:
            not_run[script.name] = str(why)
            continue
        if record.error:
            not_run[script.name] = record.error.strip().splitlines()[-1]
        records.setdefault(script.packages[0], []).append(record)
    compared = {}
    for package, runs in records.items():
        sys.stderr.write(f"check {package}\n")
        try:
            compared[package] = compare(runs, flags_in(runs[0].packages, asked.trainlint), _codes())
        except NotRun as why:
            not_run[package] = str(why)
    _show(compared, scripts, not_run, asked)
    return 2 if not_run else 0


def _record(script: Script, asked: argparse.Namespace) -> Record:
    """The run of a script, from an earlier time where that is wanted and there is one. Raises NotRun."""
    kept = asked.results / f"{script.name}.json"
    if asked.keep and kept.exists():
        return from_json(json.loads(kept.read_text("utf-8")))
    sys.stderr.write(f"run {script.name}\n")
    python = asked.python or environment_for(script.requires, asked.environments)
    record = record_of(script, python)
    kept.write_text(json.dumps(as_json(record)), "utf-8")
    return record


def _codes() -> frozenset[str]:
    """The rules whose findings a run on a simulated GPU can confirm."""
    return frozenset(rule.code for rule in installed_rules() if rule.loaded().confirmed_by & _SHOWN_BY_A_RUN)


def _show(
    compared: dict[str, Comparison], scripts: Sequence[Script], not_run: dict[str, str], asked: argparse.Namespace
) -> None:
    kinds = {script.packages[0]: script.kind for script in scripts}
    development = for_development([script.packages[0] for script in read_scripts()], SPENT)
    sys.stdout.write(as_markdown(compared, kinds, development, not_run))
    data = as_data(compared)
    if asked.against is not None:
        sys.stdout.write("\n".join(["", *changes(json.loads(asked.against.read_text("utf-8")), data), ""]))
    if asked.output is not None:
        asked.output.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    build = ROOT / "build" / "truth"
    parser = argparse.ArgumentParser("python -m benchmarks.truth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="scripts; all of them by default")
    parser.add_argument("--keep", action="store_true", help="use results of earlier runs where there are any")
    parser.add_argument("--python", type=Path, help="run all scripts with this Python, and make no environment")
    parser.add_argument("--environments", type=Path, default=build / "environments", metavar="DIRECTORY")
    parser.add_argument("--results", type=Path, default=build / "results", metavar="DIRECTORY")
    parser.add_argument("--trainlint", type=Path, metavar="PROGRAM", help="judge with this trainlint")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write all lines as JSON")
    parser.add_argument("--against", type=Path, metavar="FILE", help="say what differs from this JSON")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
