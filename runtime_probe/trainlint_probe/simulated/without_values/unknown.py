"""Numbers that a script reads where no values are computed: neutral ones, which tell when the script decides by them.

They are 0, so that a norm is below its limit and no gradient is infinite; of what asks whether all is well, True.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_DECIDING = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__")
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_COMPUTING = (
    *(f"__{side}{name}__" for name in _OPERATORS for side in ("", "r")),
    "__neg__",
    "__pos__",
    "__abs__",
    "__round__",
)


class Numbers:
    """Makes such numbers. What is computed of one is one as well, as far as Python's operators do it."""

    def __init__(self, decided: Callable[[], None]) -> None:
        """`decided` is called where the script compares such a number, or takes it for a truth."""
        self._decided = decided
        self._float = self._kind(float)
        self._int = self._kind(int)

    def of(self, value: Any) -> Any:
        """A number that was not computed, in place of a neutral one. Truths cannot tell what becomes of them."""
        if isinstance(value, bool):
            return value
        kind = self._int if isinstance(value, int) else self._float if isinstance(value, float) else None
        return value if kind is None else kind(value)

    def _kind(self, base: Any) -> type:
        methods: dict[str, Any] = {
            # What is stored or sent elsewhere is an ordinary number.
            "__reduce_ex__": lambda number, protocol: (base, (base.__repr__(number),)),
            "__hash__": base.__hash__,
        }
        methods |= {name: self._deciding(getattr(base, name)) for name in _DECIDING}
        methods |= {name: self._computing(getattr(base, name)) for name in _COMPUTING}
        return type(base.__name__, (base,), methods)

    def _deciding(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def decide(*args: Any) -> Any:
            self._decided()
            return own(*args)

        return decide

    def _computing(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def compute(*args: Any) -> Any:
            try:
                result = own(*args)
            except ZeroDivisionError:  # the number that was not computed is hardly zero
                result = 0.0
            return result if result is NotImplemented else self.of(result)

        return compute
