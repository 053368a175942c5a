"""A file's tree, or why it has none: all that a file without a word of training is asked for."""

from __future__ import annotations

import sys
import warnings

from trainlint.finding import Failure
from trainlint.training_settings.files import is_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from trainlint.source import SourceFile

UNREADABLE = "TRN001"


def parse(source: SourceFile) -> ast.Module | Failure:
    """The tree of a file, or why there is none."""
    if is_settings(source.path):
        from trainlint.training_settings.tree import settings_tree  # few projects have such files

        try:
            return settings_tree(source)
        except ValueError as error:
            return Failure(source.path, str(error), UNREADABLE, lasting=True)
    import ast  # a run of which all is known parses nothing

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in the user's strings are the user's compiler's matter
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        lasting = isinstance(error, SyntaxError | ValueError)
        return Failure(source.path, _why_unparsable(source, error), UNREADABLE, lasting)
    if source.cells is not None and (cell := source.cells.unfinished(tree)) is not None:
        reason = f"cell {cell}: a statement goes on in the next cell; correct it or exclude the notebook"
        return Failure(source.path, reason, UNREADABLE, lasting=True)
    return tree


def _why_unparsable(source: SourceFile, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        line = error.lineno or 0
        message = str(error.msg)
        if source.cells is not None:
            from trainlint.notebooks.places import words_in_cells  # few projects have notebooks

            message = words_in_cells(message, source.cells)
        version = ".".join(map(str, sys.version_info[:2]))
        reason = f"{source.line_name(line)}: syntax error in Python {version} ({message})"
        if _looks_like_python_2(source.line(line)):
            return f"{reason}; this looks like Python 2, which trainlint does not judge: exclude the file"
        return f"{reason}; fix or exclude the file, or run trainlint under the Python version this code targets"
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply to be parsed; exclude it"
    return f"it cannot be parsed ({error}); exclude it or correct it"


def _looks_like_python_2(line: str) -> bool:
    words = line.split()
    return bool(words) and (
        words[0] in ("print", "exec") or (words[0] in ("except", "raise") and "," in line) or "<>" in line
    )


def crash(error: BaseException) -> str:
    """Why a file could not be judged, as a sentence."""
    if isinstance(error, RecursionError):
        return "its code is nested too deeply to be judged; split the expression or exclude the file"
    if isinstance(error, MemoryError):
        return "there was not enough memory to judge it; exclude it, or use fewer processes with --jobs"
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"trainlint failed on it ({words}); please report this"
