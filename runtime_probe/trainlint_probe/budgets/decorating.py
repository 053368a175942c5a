"""Context managers that decorate functions, coroutines too: each call runs inside of a fresh one."""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Decorating(AbstractContextManager["Decorating"]):
    """A context manager that can be written as a decorator."""

    @abstractmethod
    def again(self) -> AbstractContextManager[object]:
        """A fresh one for one call."""

    def __call__(self, function: Function) -> Function:
        """The function, each call of which runs inside. Raises TypeError for a generator: between two of its values
        other code runs.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            name, kind = getattr(function, "__qualname__", "it"), type(self).__name__
            raise TypeError(f"{name} is a generator, which {kind} cannot decorate; write `with {kind}(...):` in it")
        return run_inside(function, self.again)


def run_inside(function: Function, fresh: Callable[[], AbstractContextManager[object]]) -> Function:
    """A function, or coroutine function, each call of which runs inside of a context manager that `fresh` makes."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with fresh():
            return function(*args, **kwargs)

    @functools.wraps(function)
    async def wait(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with fresh():
            return await function(*args, **kwargs)

    return wait if inspect.iscoroutinefunction(function) else call  # type: ignore[return-value]  # as it was typed
