"""LibCST's parser, with one kind of exception for what it cannot read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst


class NotParsed(Exception):
    """LibCST cannot read code that Python may read. The message says why."""


def parse_module(text: str) -> cst.Module:
    """The tree of a text. Raises NotParsed."""
    import libcst as cst

    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise NotParsed(f"{error.message} at line {error.raw_line}") from error
    except RecursionError as error:
        raise NotParsed("its code is nested too deeply") from error
    except BaseException as error:
        # LibCST's native parser gives up with an exception that it does not export and that is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise NotParsed(str(error)) from error
