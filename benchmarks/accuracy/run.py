"""Runs trainlint, the real program, on clones and on single file versions out of their history."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.accuracy.score import Flag, Flagged, Mended, score_mended
from trainlint.finding import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.accuracy.labels import Label, LabelSet, MendedLine, Place

UNREADABLE = "TRN001"
"""The rule by which trainlint says that it could not read a file."""


class CannotScore(Exception):
    """Figures would be wrong or would miss something. The message says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What trainlint said of one directory."""

    flags: tuple[Flag, ...]
    not_judged: tuple[tuple[str, str], ...]
    """Path and reason of each file that it could not judge wholly."""


@dataclass(frozen=True, slots=True)
class Trainlint:
    """The program as it is to be run."""

    options: tuple[str, ...] = ()
    """Further options of `trainlint check`."""
    command: tuple[str, ...] = (sys.executable, "-m", "trainlint")

    def rules(self) -> tuple[str, ...]:
        """The codes of all rules there are. Raises CannotScore where the program does not list them."""
        listed = _json_of(self._run("rules", "--output-format", "json"))
        rules = listed.get("rules") if isinstance(listed, dict) else listed
        if not isinstance(rules, list) or not rules or not all(isinstance(rule, dict) for rule in rules):
            raise CannotScore("`trainlint rules --output-format json` lists no rules")
        return tuple(str(rule["code"]) for rule in rules)

    def check(self, repo: str, directory: Path) -> Checked:
        """Judge a directory. Raises CannotScore where the program fails as a whole."""
        fixed = ("--isolated", "--output-format", "json", "--exit-zero")
        result = self._run("check", str(directory), *fixed, *self.options)
        checked = read_report(repo, directory, _json_of(result))
        if result.returncode and not checked.not_judged:
            raise CannotScore(
                f"trainlint ended with {result.returncode} on {directory}: {result.stderr.strip()[-2000:]}"
            )
        return checked

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def read_report(repo: str, directory: Path, report: object) -> Checked:
    """Read trainlint's JSON report on a directory. Raises CannotScore where it does not have the known shape."""
    try:
        assert isinstance(report, dict)
        findings, failures, files = report["findings"], report["failures"], report["counts"]["files"]
        flags = tuple(
            Flag(
                repo=repo,
                path=_inside(directory, finding["path"]),
                line=finding["span"]["start_line"],
                cell=finding.get("cell"),
                code=finding["code"],
                message=finding["message"],
                confidence=Confidence[finding["confidence"].upper()],
                heat=finding["heat"],
                related=tuple(
                    (_inside(directory, place["path"]), place["line"]) for place in finding.get("related", ())
                ),
            )
            for finding in findings
        )
        not_judged = [(_inside(directory, failure["path"]), str(failure["reason"])) for failure in failures]
    except (AssertionError, KeyError, TypeError) as error:
        raise CannotScore(f"trainlint's JSON report on {directory} has an unknown shape ({error!r})") from error
    if not files and not failures:
        raise CannotScore(
            f"trainlint found no file to judge in {directory}; is it ignored by a Git repository around it?"
        )
    not_judged += [(flag.path, flag.message) for flag in flags if flag.code == UNREADABLE]
    return Checked(flags, tuple(not_judged))


def clone_of(clones: Path, repo: str) -> Path:
    """Where the clone of a repository lies: under the last part of its name."""
    return clones / repo.rpartition("/")[2]


def require_clones(label_set: LabelSet, clones: Path) -> None:
    """Raise CannotScore unless every clone is there, at its commit, with every labelled line as it was labelled."""
    problems = []
    for repo, commit in label_set.commits:
        clone = clone_of(clones, repo)
        if not clone.is_dir():
            problems.append(f"{clone} is missing: clone {repo} there at {commit}")
            continue
        try:
            head = head_of(clone)
        except CannotScore as error:
            problems.append(f"{error}: clone {repo} there at {commit}")
            continue
        if head != commit:
            problems.append(f"{clone} is at {head}: check out {commit}")
    if not problems:
        problems = _moved_anchors(label_set.labels, clones)
    if problems:
        raise CannotScore("\n".join(problems))


def head_of(clone: Path) -> str:
    """The commit that a clone is at. Raises CannotScore where the directory is no clone."""
    head = _git(clone, "rev-parse", "HEAD")
    # Without a repository of its own, Git would answer for the one around it.
    if not (clone / ".git").exists() or head.returncode:
        raise CannotScore(f"{clone} is no Git clone")
    return head.stdout.decode().strip()


def _moved_anchors(labels: Sequence[Label], clones: Path) -> list[str]:
    problems = []
    for label in labels:
        path = clone_of(clones, label.repo) / label.path
        text = line_text(path, label.line)
        if text is None:
            problems.append(f"{path}:{label.line} is labelled but not there")
        elif anchor(text) != label.line_sha1:
            problems.append(f"{path}:{label.line} is not the line that was labelled: its line_sha1 is {anchor(text)}")
    return problems


def anchor(line: str) -> str:
    """The first 12 hexadecimal digits of the SHA-1 of a stripped line."""
    return hashlib.sha1(line.strip().encode(), usedforsecurity=False).hexdigest()[:12]


def line_text(path: Path, number: int) -> str | None:
    """A 1-based line, stripped; None where the file or the line is not there."""
    try:
        # Only line feeds part lines, as in editors and in trainlint; str.splitlines() also parts at form feeds.
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError:
        return None
    return lines[number - 1].strip() if number <= len(lines) else None


def check_clones(trainlint: Trainlint, label_set: LabelSet, clones: Path) -> Checked:
    """Judge all clones. Raises CannotScore where a file that enters the figures could not be judged.

    What could not be judged elsewhere comes back in `not_judged`, its paths led by the repository.
    """
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        repos = [repo for repo, _ in label_set.commits]
        checks = list(pool.map(lambda repo: trainlint.check(repo, clone_of(clones, repo)), repos))
    scored = label_set.files
    fatal = [
        f"trainlint could not judge {clone_of(clones, repo) / path}, which is labelled: {reason}"
        for repo, checked in zip(repos, checks, strict=True)
        for path, reason in checked.not_judged
        if (repo, path) in scored
    ]
    if fatal:
        raise CannotScore("\n".join(fatal))
    return Checked(
        tuple(flag for checked in checks for flag in checked.flags),
        tuple(
            (f"{repo}/{path}", reason)
            for repo, checked in zip(repos, checks, strict=True)
            for path, reason in checked.not_judged
        ),
    )


def check_mended(
    trainlint: Trainlint, label_set: LabelSet, clones: Path, cache: Path | None = None
) -> tuple[Mended, ...]:
    """Judge each mended line before and after its commit, each file version alone in an empty directory.

    `cache` keeps the file versions for the next run. Raises CannotScore where one is not to be had or to be judged.
    """
    versions = sorted(
        {
            (line.repo, place.sha, place.path)
            for line in label_set.mended
            for place in (line.before, line.after)
            if place is not None
        }
    )
    with tempfile.TemporaryDirectory(prefix="accuracy-") as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        root = Path(scratch) if cache is None else cache

        def check(version: tuple[str, str, str]) -> tuple[str, Checked]:
            repo, sha, path = version
            directory = root / clone_of(Path(), repo) / f"{sha}-{anchor(path)}"
            text = _version(clones, repo, sha, path, directory / path)
            return text, trainlint.check(repo, directory)

        judged = dict(zip(versions, pool.map(check, versions), strict=True))

    def flagged(repo: str, place: Place) -> Flagged:
        text, checked = judged[repo, place.sha, place.path]
        if checked.not_judged:
            reason = checked.not_judged[0][1]
            raise CannotScore(f"trainlint could not judge {place.path} of {repo} at {place.sha}: {reason}")
        if place.line > len(text.split("\n")):
            raise CannotScore(f"{place.path} of {repo} at {place.sha} has no line {place.line}")
        return Flagged(checked.flags, *statement_lines(text, place.line))

    def judge(line: MendedLine) -> Mended:
        after = None if line.after is None else flagged(line.repo, line.after)
        return score_mended(line, flagged(line.repo, line.before), after)

    return tuple(judge(line) for line in label_set.mended)


def statement_lines(text: str, line: int) -> tuple[int, int]:
    """First and last line of the smallest statement around a line; of a compound one, its header alone.

    The line itself where it is in no statement, as comments and decorators are, or the text is no Python 3.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Old code has escapes that Python now warns of; that is not our subject.
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return line, line
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    around = [extent for extent in map(_header, statements) if extent[0] <= line <= extent[1]]
    return min(around, key=lambda extent: extent[1] - extent[0], default=(line, line))


def _header(statement: ast.stmt) -> tuple[int, int]:
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    last = statement.end_lineno or statement.lineno
    if not body:
        return statement.lineno, last
    first_inside = body[0].pattern if hasattr(body[0], "pattern") else body[0]
    decorators = getattr(first_inside, "decorator_list", [])
    start_inside = min(node.lineno for node in (first_inside, *decorators))
    return statement.lineno, max(statement.lineno, start_inside - 1)


def _version(clones: Path, repo: str, sha: str, path: str, copy: Path) -> str:
    if not copy.is_file():
        shown = _git(clone_of(clones, repo), "show", f"{sha}:{path}")
        if shown.returncode:
            reason = shown.stderr.decode("utf-8", "replace").strip()
            raise CannotScore(f"{path} of {repo} at {sha} is not in the clone; fetch its whole history ({reason})")
        copy.parent.mkdir(parents=True, exist_ok=True)
        part = copy.with_name(copy.name + ".part")
        part.write_bytes(shown.stdout)
        part.replace(copy)
    return copy.read_bytes().decode("utf-8", "replace")


def _git(clone: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)


def _json_of(result: subprocess.CompletedProcess[str]) -> object:
    command = " ".join(result.args)
    ending = f"`{command}` ended with {result.returncode}"
    said = result.stderr.strip()[-2000:]
    # 2 with a report means that some files could not be judged; the report names them.
    if result.returncode not in (0, 2):
        raise CannotScore(f"{ending}: {said}")
    try:
        return json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise CannotScore(f"{ending} and no JSON: {said}") from error


def _inside(directory: Path, path: str) -> str:
    """A reported path relative to the directory that was judged; as reported where it lies elsewhere."""
    absolute = Path.cwd() / path
    try:
        return absolute.resolve().relative_to(directory.resolve()).as_posix()
    except ValueError:
        return Path(path).as_posix()
