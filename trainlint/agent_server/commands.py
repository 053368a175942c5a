"""The words of the command line that answer each tool of the MCP server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PLAIN = ("--color", "never")


def check_words(
    paths: Sequence[str], rules: Sequence[str], *, all_levels: bool, diff_base: str | None, max_findings: int
) -> list[str]:
    """`trainlint check` in the format for agents. `diff_base` is a commit; None judges all lines."""
    return [
        "check",
        *PLAIN,
        "--output-format=agent",
        f"--max-findings={max_findings}",
        *(f"--select={rule}" for rule in rules),
        *(["--min-confidence=possible"] if all_levels else []),
        *([] if diff_base is None else [f"--diff-base={diff_base}"]),
        *_paths(paths),
    ]


def fix_words(identifier: str, paths: Sequence[str], *, write: bool) -> list[str]:
    """Show the fix of one finding as a diff, or write it. Whoever names one finding has read it, so any fix will do."""
    return [
        "check",
        *PLAIN,
        f"--only={identifier}",
        "--min-confidence=possible",
        "--fix" if write else "--diff",
        "--numeric-fixes",
        "--unsafe-fixes",
        *(["--output-format=agent"] if write else []),
        *_paths(paths),
    ]


def why_words(place: str) -> list[str]:
    """`trainlint why` about FILE or FILE:LINE."""
    return ["why", *PLAIN, _path(place)]


def explain_words(rule: str) -> list[str]:
    """`trainlint explain`. A rule has no name that begins with `-`, so such a word is none."""
    return ["explain", *PLAIN, rule.lstrip("-") or "?"]


def advise_words(paths: Sequence[str]) -> list[str]:
    """`trainlint advise` as Markdown."""
    return ["advise", *PLAIN, "--output-format=markdown", *_paths(paths)]


def plan_words(
    *,
    config: str | None,
    params: str | None,
    gpus: int,
    gpu: str | None,
    batch: int | None,
    sequence: int | None,
    precision: str | None,
    optimizer: str | None,
) -> list[str]:
    """`trainlint plan` of a configuration file or a number of parameters.

    Raises ValueError for `package.module:callable`, whose code would run.
    """
    if config is not None and ":" in config:
        raise ValueError(f"{config} names code; this tool reads a config.json and runs nothing")
    options = {
        "params": params,
        "gpus": gpus,
        "gpu": gpu,
        "batch": batch,
        "sequence": sequence,
        "precision": precision,
        "optimizer": optimizer,
    }
    return ["plan", *PLAIN, *_given(options), *([] if config is None else [_path(config)])]


def judge_words(**options: str | int | None) -> list[str]:
    """`trainlint judge` of claims on standard input; options that are None stay as they are."""
    return ["judge", *PLAIN, *_given(options), "-"]


def run_words(command: str, script: str, arguments: Sequence[str], **options: str | int | None) -> list[str]:
    """`trainlint probe` or `trainlint prove` of a script; options that are None stay as they are."""
    return [command, *PLAIN, *_given(options), _path(script), *arguments]


def _given(options: Mapping[str, str | int | None]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items() if value is not None]


def _paths(paths: Sequence[str]) -> list[str]:
    return ["--", *map(_path, paths)] if paths else []


def _path(word: str) -> str:
    """The same file by a word that no parser takes for an option."""
    return f"./{word}" if word.startswith("-") else word
