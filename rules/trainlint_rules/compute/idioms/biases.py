"""Biases that the next layer subtracts again."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.programs.layer_pairs import layer_before
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, children, constant, has_unpacked_arguments, last_name, nodes_in
from trainlint.contract.guard import guard
from trainlint.finding import Confidence
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site

NORMS = tuple(f"torch.nn.*.{name}" for name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"))
_BIAS_AT = {
    "Linear": 2,
    "Conv1d": 7,
    "Conv2d": 7,
    "Conv3d": 7,
    "ConvTranspose1d": 7,
    "ConvTranspose2d": 7,
    "ConvTranspose3d": 7,
}
"""Layers with a bias, and where it stands among their arguments."""
_LIBRARY = lazy(r"(^|/)src/\w+/")
"""Packages that are installed: others hold checkpoints of their models."""
_LAYER = lazy(r"Conv|Linear")
_REGISTERING = lazy(r"regist(er|ry)", re.IGNORECASE)


@guard
def registers_models(site: Site) -> bool:
    """The file registers models, whose weights come from elsewhere."""
    decorators = {
        decorator
        for node in nodes_in(site.file.tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        for decorator in node.decorator_list
    }
    return any(
        isinstance(place.node, ast.Call)
        and (place.node in decorators or (not place.node.args and not place.node.keywords))
        for name, places in site.file.outline.calls.items()
        if _REGISTERING.search(name)
        for place in places
    )


@guard
def bias_is_set(site: Site) -> bool:
    """The file sets the biases of such layers without checking that they exist."""
    return _sets_bias(site.file)


@once
def _sets_bias(file: SemanticModel) -> bool:
    stack: list[ast.AST] = [file.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and _excludes(ast.unparse(node.test)):
            stack += node.orelse
            continue
        if _writes_bias(node):
            return True
        stack += children(node)
    return False


def _excludes(test: str) -> bool:
    """Whether what stands behind a test is about normalizations alone, or runs only where there is a bias."""
    return "bias" in test or ("Norm" in test and _LAYER.search(test) is None)


def _writes_bias(node: ast.AST) -> bool:
    """`x.bias = y`, `x.bias.data.zero_()` and `init.zeros_(x.bias)`."""
    match node:
        case (
            ast.Attribute(attr="bias", ctx=ast.Store())
            | ast.Attribute(attr="data", value=ast.Attribute(attr="bias"), ctx=ast.Store())
        ):
            return not _of_own_object(node)
        case ast.Call(func=ast.Attribute(attr=name, value=held), args=given) if name.endswith("_"):
            return any(_is_bias(part) for part in (held, *given[:1]))
    return False


def _is_bias(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "bias" and not _of_own_object(node)


def _of_own_object(node: ast.expr) -> bool:
    """Whether it is `self.bias`: that of a layer which the project writes itself."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def layer_with_bias(norm: Site) -> ast.Call | None:
    """The layer with a bias whose output goes straight into a batch normalization of as many channels."""
    layer = layer_before(norm.file, norm.place)
    if layer is None or has_unpacked_arguments(layer) or _widths_differ(norm.call, layer):
        return None
    package, _, name = (norm.origin(layer.func) or "").rpartition(".")
    if not f"{package}.".startswith("torch.nn.") or name not in _BIAS_AT or last_name(layer.func) not in _BIAS_AT:
        return None
    given = _bias_argument(layer)
    return layer if given is None or constant(given) is True else None


def may_lose_bias(norm: Site, layer: ast.Call) -> Confidence:
    """How sure it is that nobody needs the bias: others may hold it in weights, or it is asked for by its name."""
    return Confidence.POSSIBLE if _bias_argument(layer) or _LIBRARY.search(norm.path) else Confidence.LIKELY


def _bias_argument(layer: ast.Call) -> ast.expr | None:
    return argument(layer, "bias", _BIAS_AT[last_name(layer.func)])


def _widths_differ(norm: ast.Call, layer: ast.Call) -> bool:
    """Whether both say how many channels there are, and not the same: then something stands between them."""
    width = argument(norm, "num_features", 0)
    given = argument(layer, "out_channels", 1) or argument(layer, "out_features", 1)
    if width is None or given is None:
        return False
    return constant(width) is not ... and constant(given) is not ... and constant(width) != constant(given)
