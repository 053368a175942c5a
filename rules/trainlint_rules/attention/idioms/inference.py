"""Files that only infer, and the batch normalizations in them."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.programs.modes import may_set_training
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.guard import early_guard

_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
_LAYERS = frozenset({"Linear", "Conv1d", "Conv2d", "Conv3d"})


@early_guard
def loads_no_weights(site: Site) -> bool:
    """The file loads no weights."""
    if any(site.calls("load_state_dict", "load_file", "from_pretrained")):
        return False
    return all(load.origin(load.call.func) != "torch.load" for load in site.calls("load"))


@early_guard
def sets_training_mode(site: Site) -> bool:
    """The file sets training mode, or a mode that a variable decides."""
    return may_set_training(site.file)


def foldable_norms(site: Site) -> list[int]:
    """The lines of the batch normalizations of PyTorch, in the file, that stand behind a layer to fold them into."""
    norms = [norm for norm in site.calls(*_NORMS) if (norm.origin(norm.call.func) or "").startswith("torch.nn.")]
    return sorted(norm.call.lineno for norm in norms if _is_layer(layer_before(norm.file, norm.place)))


def _is_layer(call: ast.Call | None) -> bool:
    return call is not None and last_name(call.func) in _LAYERS
