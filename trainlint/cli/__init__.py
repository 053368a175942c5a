"""The command line: arguments in, exit code out.

0 is clean, 1 means findings, 2 means that something could not be judged; 2 wins over 1.

Until `main` has called `protect_imports`, nothing may be imported that a file of the judged repository could stand in
for. `from __future__ import annotations` imports a module, too.
"""

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: `trainlint --version` is to answer at once
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

_ALLOCATIONS = 100_000
"""So many objects may be made before the garbage collector looks for cycles. Python's own 700 are for programs that run
for long: while modules are imported, it looks seventy times, which takes 4 ms."""

COULD_NOT_JUDGE = 2
INTERRUPTED = 130
"""What shells report of a program that Ctrl-C ended."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit code.

    Without `argv` this is the program, with the command line's arguments and the whole process to itself. Raises
    SystemExit where argparse does: for --help and --version with 0, for wrong usage with 2.
    """
    if argv is None:
        from trainlint.import_path import protect_imports

        protect_imports(sys.argv[1:])
        gc.set_threshold(_ALLOCATIONS)
    from trainlint.cli import console

    console.prepare()
    try:
        try:
            return _dispatch(list(sys.argv[1:] if argv is None else argv))
        finally:
            console.write(sys.stdout, "")  # what argparse has left there
    except console.UsageError as error:
        for index, sentence in enumerate(error.args):
            console.note(sentence if index else f"trainlint: {sentence}")
        return COULD_NOT_JUDGE
    except KeyboardInterrupt:
        console.note("trainlint: interrupted")
        return INTERRUPTED
    except Exception:  # noqa: BLE001 - Python's own exit code for a crash is 1, which would look like findings
        import os
        import traceback

        try:
            os.getcwd()
        except OSError:
            console.note("trainlint: the working directory was deleted; change to one that exists")
            return COULD_NOT_JUDGE
        for line in traceback.format_exc().splitlines():
            console.note(line)
        console.note("trainlint: this is a fault in trainlint itself; please report it with the lines above")
        return COULD_NOT_JUDGE
    finally:
        if argv is None:
            gc.freeze()  # Python looks for cycles three times as it ends, which takes 5 ms, and more after a long run


def _refuse_files_named_like_options(words: "Sequence[str]") -> None:
    """A pattern of the shell, or a tool such as pre-commit, puts names of files among the words: one that begins with
    `-` would be obeyed. Raises UsageError.
    """
    import os

    for word in words:
        if word == "--":
            return
        if word.startswith("-") and word != "-" and os.path.lexists(word):
            from trainlint.cli.console import UsageError
            from trainlint.report.characters import sentence

            raise UsageError(
                sentence(
                    f"{word} is both an option and a file here; write ./{word} for the file, or run trainlint "
                    "in another directory for the option",
                    unicode=True,
                )
            )


def _with_paths_behind_dashes(words: list[str]) -> list[str]:
    """The words without `--`: those behind it are paths, however they begin, which argparse forgets where options and
    paths may stand in any order.
    """
    if "--" not in words:
        return words
    at = words.index("--")
    paths = (f"./{word}" if word.startswith("-") and word != "-" else word for word in words[at + 1 :])
    return [*words[:at], *paths]


def _dispatch(arguments: list[str]) -> int:
    _refuse_files_named_like_options(arguments)
    from trainlint.cli.arguments import COMMANDS, COMMANDS_OF_THE_PROBE, program_parser, unknown_command

    if arguments and arguments[0] in COMMANDS_OF_THE_PROBE:
        from trainlint.cli.added import added_command

        return added_command(arguments[0])(arguments[1:])
    arguments = _with_paths_behind_dashes(arguments)
    if arguments and arguments[0] in COMMANDS:
        # Each command has a parser of its own, because only then may options and paths stand in any order.
        options = _parser(arguments[0]).parse_intermixed_args(arguments[1:])
        return _run(arguments[0], options)
    parser = program_parser()
    if arguments and not arguments[0].startswith("-"):
        parser.error(unknown_command(arguments[0]))
    parser.parse_args(arguments)
    parser.print_help()
    return 0


def _parser(command: str) -> "ArgumentParser":
    """The parser of one of COMMANDS."""
    if command == "check":
        from trainlint.cli.arguments import check_parser

        return check_parser()
    from trainlint.cli.command_parsers import command_parser

    return command_parser(command)


def _run(command: str, options: "Namespace") -> int:
    """Run one of COMMANDS: its module in this package, or in `new_code`, has a function of the same name."""
    from importlib import import_module

    package = "trainlint.cli.new_code" if command == "baseline" else "trainlint.cli"
    code: int = getattr(import_module(f"{package}.{command}"), command)(options)
    return code
