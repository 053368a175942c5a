"""What TorchScript is used for, and its old fuser."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.programs.old_names.deprecated_uses import is_switched
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.signs import COMPILES, ONNX, SAVED_SCRIPTS, SERVES
from trainlint.contract.guard import early_guard, guard
from trainlint.patterns import lazy

SCRIPT = "torch.jit.script"
FUSER = "torch.jit.fuser"
SETTER = "torch._C._jit_set_nvfuser_enabled"
_SERVING_PATH = lazy(r"export|deploy|serv(e|ing)|onnx|convert|(^|/)jit", re.IGNORECASE)
_OF_TRAINING = ("torch.nn.Module", "torch.autograd")


@early_guard
def switched(site: Site) -> bool:
    """A version check or a `try` decides whether it runs."""
    return is_switched(site.block)


@guard
def served(site: Site) -> bool:
    """The scripted function is exported, saved or served, or the code also compiles."""
    named = any(site.file.names.show(sign) for sign in (COMPILES, SERVES, SAVED_SCRIPTS, ONNX))
    return _scripts(site) and (named or _SERVING_PATH.search(site.path) is not None)


@guard
def trains_nothing(site: Site) -> bool:
    """A function is scripted in a file that has neither modules nor a backward pass."""
    outline = site.file.outline
    names = (outline.origin(place.node) or "" for place in outline.references)
    return _scripts(site) and not outline.calls.get("backward") and not any(n.startswith(_OF_TRAINING) for n in names)


def asks_for_nvfuser(site: Site, origin: str) -> bool:
    """Whether a name is called to switch nvFuser on."""
    there = called(site)
    if there is None:
        return False
    if origin == FUSER:
        return constant(argument(there.call, "name", 0)) == "fuser2"
    return origin == SETTER and constant(argument(there.call, "", 0)) is True


def _scripts(site: Site) -> bool:
    return isinstance(site.node, ast.expr) and site.origin(site.node) == SCRIPT
