"""Where the report goes: what `--output-format` and `--output-file` say together."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path

from trainlint.cli.console import UsageError
from trainlint.report import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

DEFAULT_FORMAT = "full"


@dataclass(frozen=True, slots=True)
class Output:
    """One report."""

    format: str
    """One of FORMATS."""
    file: Path | None = None
    """None for stdout."""


def output(text: str) -> Output:
    """What one `--output-format` asks for: `sarif`, or `sarif=trainlint.sarif`. Raises ArgumentTypeError."""
    name, equals, file = text.partition("=")
    if name not in FORMATS:
        from trainlint.naming import did_you_mean

        raise ArgumentTypeError(f"expected one of {', '.join(FORMATS)}, not {name!r}{did_you_mean(name, FORMATS)}")
    if equals and not file:
        raise ArgumentTypeError(f"name the file behind `{text}`, or leave out the `=`")
    return Output(name, Path(file) if file else None)


def outputs(options: Namespace) -> tuple[Output, ...]:
    """All reports that were asked for, those in files first.

    Raises UsageError for two reports on stdout, and for two in one file.
    """
    asked: list[Output] = options.output_format or [Output(DEFAULT_FORMAT)]
    bare = [item.format for item in asked if item.file is None]
    if len(bare) > 1:
        raise UsageError(
            f"the formats {' and '.join(bare)} cannot both go to one place; give one a file, as in "
            f"--output-format {bare[1]}=FILE"
        )
    named = [item for item in asked if item.file is not None]
    if options.output_file is not None:
        named.append(Output(bare[0] if bare else DEFAULT_FORMAT, options.output_file))
    elif bare:
        named.append(Output(bare[0]))
    files = [item.file.absolute() for item in named if item.file is not None]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise UsageError(f"two reports would go to {twice.name}; name another file for one of them")
    return tuple(named)
