"""The current device of a process: what chooses it, and what takes it."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.subjects import words_in
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.guard import early_guard, guard

_CHOOSING = frozenset({"set_device", "set_device_index"})
_MOVES = frozenset({*MOVES, "device"})


@guard
def device_id_given(site: Site) -> bool:
    """`device_id` is given."""
    return argument(site.call, "device_id") is not None


@early_guard
def chosen_anywhere(site: Site) -> bool:
    """The file chooses a device (`set_device`, `torch.cuda.device`, `CUDA_VISIBLE_DEVICES`)."""
    if not _CHOOSING.isdisjoint(site.file.outline.calls):
        return True
    if any(other.origin(other.call.func) == "torch.cuda.device" for other in site.calls("device")):
        return True
    return any("CUDA_VISIBLE_DEVICES" in word for word in words_in(site.file.tree))


def takes_current_device(file: SemanticModel) -> tuple[str, int] | None:
    """The first place of the file that takes the current device, as it is written, and its line."""
    found = []
    for place in file.outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        known = collective(file, call, place.block)
        if known is not None and (known.tensor is None or known.of_objects):
            if argument(call, "device_ids") is None and known.group is None:
                found.append((call.lineno, f"{known.name}()"))
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES and _names_no_index(call):
            found.append((call.lineno, f".{call.func.attr}(...)" if call.args else f".{call.func.attr}()"))
    return (min(found)[1], min(found)[0]) if found else None


def _names_no_index(call: ast.Call) -> bool:
    """Whether a call moves to the current device: `.cuda()`, `.to("cuda")`, `torch.device("cuda")`."""
    if len(call.args) == 1:
        return constant(call.args[0]) == "cuda"
    return not call.args and not call.keywords and isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
