"""`python -m benchmarks.truth [NAME ...]`: what trainlint finds of what libraries really do in each step.

Runs each script of benchmarks/truth/scripts on a simulated GPU, in an environment with the library that it is for, runs
`trainlint check` on that library, and prints tables. Results are kept in build/truth, so that the tables can be made
again without a run (`--keep`), and another trainlint compared (`--trainlint`, `--against`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from benchmarks.truth.compare import Comparison, compare, explained, missed
from benchmarks.truth.compare_facts import JUDGED, with_facts
from benchmarks.truth.environments import environment_for
from benchmarks.truth.failures import NotRun, last_line
from benchmarks.truth.record import Record, as_json, from_json
from benchmarks.truth.repositories import repository_for
from benchmarks.truth.results import Library, as_data, changes, without_places
from benchmarks.truth.run import ROOT, record_of
from benchmarks.truth.scripts_of import Script, for_development, read_scripts
from benchmarks.truth.static import flags_of, judge_of, reasons_of
from benchmarks.truth.table import as_markdown
from trainlint.catalogue import installed_rules
from trainlint.symptoms import Symptom

_BUILD = ROOT / "build" / "truth"
_SHOWN_BY_A_RUN = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE, Symptom.CACHE_EMPTIED})


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; 2 where a script could not be run."""
    asked = _arguments(words)
    scripts = read_scripts()
    unknown = {*asked.names} - {script.name for script in scripts}
    if unknown or not scripts:
        sys.stderr.write(f"there is no script {', '.join(sorted(unknown))}\n")
        return 2
    chosen = [script for script in scripts if not asked.names or script.name in asked.names]
    records, not_run = _recorded(chosen, asked)
    development = for_development(script.packages[0] for script in scripts)
    fields = {script.packages[0]: script.kind for script in chosen}
    libraries = []
    for package, runs in records.items():
        sys.stderr.write(f"check {package}\n")
        try:
            found = _compared(runs, asked.trainlint, is_explained=package in development)
        except NotRun as why:
            not_run[package] = str(why)
            continue
        libraries.append(Library(package, runs[0].versions, fields[package], package in development, found))
    sys.stdout.write(as_markdown(libraries, not_run))
    _write(libraries, asked)
    return 2 if not_run else 0


def _recorded(scripts: Iterable[Script], asked: argparse.Namespace) -> tuple[dict[str, list[Record]], dict[str, str]]:
    """The runs of each library, and why some scripts came to nothing."""
    asked.results.mkdir(parents=True, exist_ok=True)
    records: dict[str, list[Record]] = {}
    not_run: dict[str, str] = {}
    for script in scripts:
        try:
            found = _records(script, asked)
        except NotRun as why:
            not_run[script.name] = str(why)
            continue
        not_run.update((script.name, last_line(record.error)) for record in found if record.error)
        if seen := [record for record in found if record.steps]:
            records.setdefault(script.packages[0], []).extend(seen)
    return records, not_run


def _records(script: Script, asked: argparse.Namespace) -> tuple[Record, ...]:
    """What a script showed, from an earlier time where that is wanted and there is one. Raises NotRun."""
    kept = asked.results / f"{script.name}.json"
    if asked.keep and kept.exists():
        earlier = from_json(json.loads(kept.read_text("utf-8")))
        if not any(record.error for record in earlier):
            return earlier
    kept.unlink(missing_ok=True)
    sys.stderr.write(f"run {script.name}\n")
    python = asked.python.absolute() if asked.python else environment_for(script.requires, _BUILD / "environments")
    found = record_of(script, python, repository_for(script, _BUILD / "repositories"))
    kept.write_text(json.dumps(as_json(found)), "utf-8")
    return found


def _compared(runs: Sequence[Record], trainlint: Path | None, *, is_explained: bool) -> Comparison:
    """What trainlint names of what the runs of a library showed. Raises NotRun."""
    codes = _codes(_SHOWN_BY_A_RUN)
    of_facts = {symptom: _codes({Symptom(symptom)}) for symptom in JUDGED}
    packages = {name: place for run in runs for name, place in run.packages.items()}
    with judge_of(packages, trainlint) as judge:
        flags = flags_of(judge)
        found = with_facts(compare(runs, flags, codes), runs, flags, of_facts)
        return explained(found, reasons_of(judge, missed(found), codes)) if is_explained else found


def _codes(symptoms: Collection[Symptom]) -> frozenset[str]:
    """The rules whose findings one of these symptoms confirms."""
    return frozenset(rule.code for rule in installed_rules() if rule.loaded().confirmed_by & frozenset(symptoms))


def _write(libraries: Sequence[Library], asked: argparse.Namespace) -> None:
    """What was asked for besides the tables."""
    data = as_data(libraries)
    if asked.against is not None:
        sys.stdout.write("\n".join(["", *changes(json.loads(asked.against.read_text("utf-8")), data), ""]))
    if asked.output is not None:
        asked.output.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    if asked.publish is not None:
        # What is known of libraries that nobody asked for stays.
        earlier = json.loads(asked.publish.read_text("utf-8")) if asked.names and asked.publish.exists() else {}
        published = dict(sorted({**earlier, **as_data(map(without_places, libraries))}.items()))
        asked.publish.parent.mkdir(parents=True, exist_ok=True)
        # A line for each library, so that the differences of two records can be read.
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(data)}" for name, data in published.items())
        asked.publish.write_text(f"{{\n{rows}\n}}\n", "utf-8")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.truth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="scripts; all of them by default")
    parser.add_argument("--keep", action="store_true", help="use results of earlier runs where there are any")
    parser.add_argument("--python", type=Path, help="run all scripts with this Python, and make no environment")
    parser.add_argument("--results", type=Path, default=_BUILD / "results", metavar="DIRECTORY")
    parser.add_argument("--trainlint", type=Path, metavar="PROGRAM", help="judge with this trainlint")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write all lines as JSON")
    parser.add_argument("--against", type=Path, metavar="FILE", help="say what differs from this JSON")
    parser.add_argument("--publish", type=Path, metavar="FILE", help="write JSON without lines only counted")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
