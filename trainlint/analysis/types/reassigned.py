"""Names that are assigned again what a call makes of them: `net = frozen(net)`, then `net = quantised(net)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from trainlint.analysis.syntax.blocks import Binding, How
from trainlint.analysis.types.access_paths import AccessPath, joined_paths
from trainlint.analysis.types.values import Value

_MOST_CALLS = 12
"""Of how many calls a name may be the result that were given the name itself."""


def paths_through_calls(values: Sequence[tuple[Value, Binding]]) -> tuple[AccessPath, ...]:
    """Where a name may come from whose bindings give it these values.

    A call that is given the name itself does not count as one more place that it may come from: most return what they
    are given. Linking finds out which do.
    """
    made: list[AccessPath] = []
    handed_on: list[AccessPath] = []
    for value, binding in values:
        (handed_on if _is_given_its_name(binding) else made).extend(value.access_paths)
    started = joined_paths(made)
    return tuple(dict.fromkeys((*started, *handed_on))) if started and len(handed_on) <= _MOST_CALLS else ()


def _is_given_its_name(binding: Binding) -> bool:
    """Whether a name is assigned the result of a call that gets the name as an argument."""
    call = binding.value
    if binding.how is not How.ASSIGN or binding.path or not isinstance(call, ast.Call):
        return False
    given = [*call.args, *[keyword.value for keyword in call.keywords]]
    return any(isinstance(item, ast.Name) and item.id == binding.name for item in given)
