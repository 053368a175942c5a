"""`torch.distributions`: the host checks the values of parameters, and of what a probability is asked for."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.calls.places import is_false
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Distribution, Made
from trainlint.interpreter.values.kinds import NONE, UNKNOWN, Place, Plain, Tensor
from trainlint.interpreter.values.value import Value

_NO_DISTRIBUTION: Final = re.compile(r"\.(transforms|constraints|constraint_registry)\.|Transform$")
_COMPOSED: Final = frozenset({"Independent", "MixtureSameFamily", "TransformedDistribution"})
"""What is made of other distributions has no parameters of its own to check."""
_CHECKING: Final = frozenset({"log_prob", "cdf"})
"""Methods that check what they are given."""


def of_distributions(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call what `torch.distributions` names so: make a distribution, or compare two of them."""
    last = name.rpartition(".")[2]
    if last == "set_default_validate_args":
        run.distributions_check = not is_false(arguments.get(0, "value"))
        return NONE
    place = _place(arguments)
    if last[:1].islower():
        return Tensor(place, way=(f"`{last}`",))
    if _NO_DISTRIBUTION.search(name):
        return Made(name)
    parts = [value for value in arguments.values if isinstance(value, Distribution)]
    given = arguments.named.get("validate_args")
    checks = all(part.checks for part in parts) and run.distributions_check
    if given is not None:
        checks = not is_false(given)
    if checks and last not in _COMPOSED:
        _tell(run, node, arguments, f"`{last}`")
    return Distribution(name, place, checks)


def distribution_method(
    run: Run, base: Distribution, name: str, arguments: Arguments, node: ast.Call, frame: Frame
) -> Value:
    """Call a method of a distribution: but for a few, it gives a tensor where the parameters lie."""
    if name in _CHECKING and base.checks:
        first = arguments.args[0] if arguments.args else UNKNOWN
        value = first if isinstance(first, Tensor) or base.place != "device" else Tensor(way=(f"given to `{name}`",))
        run.reads(node, value, Happening.CHECKED, f"`.{name}()`", structures=True)
    return base if name == "expand" else Tensor(base.place, way=(f"from `{base.last}`",))


def _tell(run: Run, node: ast.AST, arguments: Arguments, what: str) -> None:
    """Tell the first parameter that is read on the device."""
    for value in arguments.values:
        if run.reads(node, value, Happening.CHECKED, what, structures=True):
            return


def _place(arguments: Arguments) -> Place:
    """Where parameters lie: numbers stay on the host."""
    places = [value.place for value in arguments.values if isinstance(value, Tensor | Distribution)]
    for place in ("device", "unknown"):
        if place in places:
            return place
    return "host" if places or all(isinstance(value, Plain) for value in arguments.values) else "unknown"
