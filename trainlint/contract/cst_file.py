"""A file as LibCST reads it, and the way from its nodes to those of `ast`: one parse for all rules that match so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libcst import CSTNode, GeneratorExp, Module, Tuple
from libcst.matchers import extract
from libcst.metadata import BaseMetadataProvider, ByteSpanPositionProvider, MetadataWrapper

from trainlint.analysis.syntax.every_place import every_place
from trainlint.analysis.syntax.memo import once
from trainlint.contract.cst_words import node_kinds
from trainlint.fixing.parse_module import NotParsed, parse_module

if TYPE_CHECKING:
    from typing import Any

    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Place

_SAME_NAMES = """
    Assert Assign AnnAssign AugAssign Break ClassDef Continue Expr Global If Import ImportFrom Match Nonlocal Pass
    Raise Return Try TryStar While
    Attribute Await Call Dict DictComp GeneratorExp Lambda List ListComp NamedExpr Set SetComp Subscript Tuple
""".split()
_OTHER_NAMES = {
    "Del": ("Delete",),
    "For": ("For", "AsyncFor"),
    "FunctionDef": ("FunctionDef", "AsyncFunctionDef"),
    "With": ("With", "AsyncWith"),
    "BinaryOperation": ("BinOp",),
    "BooleanOperation": ("BoolOp",),
    "Comparison": ("Compare",),
    "ConcatenatedString": ("Constant", "JoinedStr"),
    "Ellipsis": ("Constant",),
    "Float": ("Constant",),
    "FormattedString": ("JoinedStr",),
    "IfExp": ("IfExp",),
    "Imaginary": ("Constant",),
    "Integer": ("Constant",),
    "Name": ("Name", "Constant"),
    "SimpleString": ("Constant",),
    "UnaryOperation": ("UnaryOp",),
    "Yield": ("Yield", "YieldFrom"),
}
KINDS: Mapping[str, tuple[str, ...]] = dict.fromkeys(_SAME_NAMES, ()) | _OTHER_NAMES
"""LibCST's nodes that are expressions or statements of `ast`, with the names of the classes there where they differ."""
_LINE_END = re.compile(rb"\r\n|\r|\n")


class Origin(BaseMetadataProvider[str]):
    """The dotted origin of each name and attribute that leads to an import, as "torch.solve"."""

    gen_cache = staticmethod(lambda *_: {})  # a cache is how LibCST hands a provider what others have found out

    def _gen_impl(self, module: Module) -> None:
        assert isinstance(self.cache, dict)
        for node, origin in self.cache.items():
            self.set_metadata(node, origin)


@dataclass(frozen=True, slots=True, eq=False)
class CstFile:
    """The nodes of one file that are expressions or statements of `ast` as well."""

    wrapper: MetadataWrapper
    places: Mapping[str, list[tuple[CSTNode, Place]]]
    """By the name of the node's class, in the order in which the nodes end."""
    node_of: Mapping[ast.AST, CSTNode]
    place_of: Mapping[CSTNode, Place]

    def matched(self, pattern: Any) -> Iterator[Place]:
        """The places of the nodes that a pattern matches."""
        for kind in sorted(node_kinds(pattern)):
            for node, place in self.places.get(kind, ()):
                if self.captured(node, pattern) is not None:
                    yield place

    def captured(self, node: CSTNode, pattern: Any) -> dict[str, Any] | None:
        """The nodes that `SaveMatchedNode` names in a pattern; None where the pattern does not match."""
        return extract(node, pattern, metadata_resolver=self.wrapper)


def cst_file(file: SemanticModel) -> CstFile:
    """A file as LibCST reads it. Raises NotParsed."""
    found = _parsed(file)
    if isinstance(found, NotParsed):
        raise found
    return found


@once
def _parsed(file: SemanticModel) -> CstFile | NotParsed:
    try:
        return _read(file)
    except NotParsed as error:
        return NotParsed(f"LibCST cannot parse it ({error})")
    except RecursionError:
        return NotParsed("LibCST cannot tell its positions (its code is nested too deeply)")


def _read(file: SemanticModel) -> CstFile:
    places: dict[str, list[tuple[CSTNode, Place]]] = {}
    node_of: dict[ast.AST, CSTNode] = {}
    place_of: dict[CSTNode, Place] = {}
    origins: dict[CSTNode, str] = {}
    wrapper = MetadataWrapper(parse_module(file.source.text), unsafe_skip_copy=True, cache={Origin: origins})
    for node, place in _placed(wrapper, file):
        places.setdefault(type(node).__name__, []).append((node, place))
        node_of[place.node] = node
        place_of[node] = place
        if origin := file.outline.imported(place.node, place.block):
            origins[node] = origin
    return CstFile(wrapper, places, node_of, place_of)


def _placed(wrapper: MetadataWrapper, file: SemanticModel) -> Iterator[tuple[CSTNode, Place]]:
    """The nodes that are expressions or statements of `ast`, which are those of the same kind from byte to byte."""
    text = file.source.text.encode()
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    by_extent: dict[tuple[int, int], list[Place]] = {}
    for place in every_place(file.outline):
        node: Any = place.node
        extent = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        by_extent.setdefault(extent, []).append(place)
    for node, span in wrapper.resolve(ByteSpanPositionProvider).items():
        kind = type(node).__name__
        if kind in KINDS:
            start, stop = span.start, span.start + span.length
            if isinstance(node, GeneratorExp) or (isinstance(node, Tuple) and node.lpar):
                # For `ast` the nearest parentheses are part of these two, for LibCST they stand around them.
                start, stop = text.rfind(b"(", 0, start), text.find(b")", stop) + 1
            wanted = KINDS[kind] or (kind,)
            for place in by_extent.get((start, stop), ()):
                if type(place.node).__name__ in wanted:
                    yield node, place
                    break
