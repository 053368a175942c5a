"""Answers about a file that are worked out once, however many places they are asked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


def once(
    function: Callable[Concatenate[SemanticModel, _Asked], _Answer],
) -> Callable[Concatenate[SemanticModel, _Asked], _Answer]:
    """Remember what a function says of a file, for as long as the file's model lives.

    Besides the file it is asked about things that hash, such as nodes, blocks and names, given by position. Nobody may
    change what it answers.
    """

    @wraps(function)
    def asked(file: SemanticModel, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        key = (function, *args)
        answers = file.answers
        if key not in answers:
            answers[key] = function(file, *args, **kwargs)
        answer: _Answer = answers[key]
        return answer

    return cast("Callable[Concatenate[SemanticModel, _Asked], _Answer]", asked)
