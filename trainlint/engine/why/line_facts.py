"""What the model knows of a line: how often it runs, whether autograd is on, and what its values are."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.names import end_position, position
from trainlint.analysis.syntax.written import written
from trainlint.analysis.types.values import Kind, Value
from trainlint.explanation import Fact, Line
from trainlint.finding import HeatFact

_NAMED = ast.Name | ast.Attribute | ast.Subscript
_WITH_BODY = ast.For | ast.AsyncFor | ast.While | ast.FunctionDef | ast.AsyncFunctionDef
_SILENT_KINDS = frozenset({Kind.STRING, Kind.NONE, Kind.UNKNOWN})
"""What needs no word about its kind."""
_NO_VALUES = ast.Constant | ast.JoinedStr | ast.Lambda | ast.GeneratorExp


@dataclass(slots=True, eq=False)
class LineFacts:
    """Answers for the lines of one file."""

    model: SemanticModel
    _statements: dict[int, ast.stmt] = field(init=False)
    _used: dict[int, list[tuple[ast.expr, Block]]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Index the file's statements and the values they use by line."""
        self._statements = {}
        for statement in self.model.outline.block_of:
            for line in range(statement.lineno, last_header_line(statement) + 1):
                self._statements.setdefault(line, statement)
        for node, block in self._all_used():
            for line in {position(node)[0], end_position(node)[0]}:
                self._used.setdefault(line, []).append((node, block))

    def of(self, number: int) -> Line:
        """What is known of a line, without what rules say of it."""
        text = self.model.source.line(number)
        statement = self._statements.get(number)
        if statement is None:
            return Line(number, text)
        site = self._site(statement)
        off = self.model.gradients.off(site.block, number)
        values, unknown = self._values(number)
        return Line(
            number,
            text,
            function=site.function.qualified_name if site.function is not None else None,
            heat=site.heat,
            body=self._heat_of_body(statement),
            gradients_off=off,
            gradients_reason=self._gradients_reason(site.block, number) if off else None,
            values=tuple(values),
            unknown=tuple(unknown),
        )

    def _site(self, statement: ast.stmt) -> Site:
        return Site(self.model, Place(statement, self.model.outline.block_of[statement], statement))

    def _heat_of_body(self, statement: ast.stmt) -> HeatFact | None:
        """How often the body of a loop or function runs."""
        if not isinstance(statement, _WITH_BODY):
            return None
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            return self.model.heats.of(self.model.outline.function_of[statement].body)
        return self.model.heats.of(self.model.outline.loop_blocks[statement])

    def _gradients_reason(self, block: Block, line: int) -> str:
        """The nearest thing that switches autograd off."""
        gradients = self.model.gradients
        for inner in block.outwards():
            if inner.kind is BlockKind.FUNCTION:
                function = self.model.outline.function_of[inner.node]
                if gradients.function_off(function):
                    how = "by its decorator" if gradients.decorated_off(function) else "by all its callers"
                    return f"{function.qualified_name}: {how}"
            elif inner.parent is not None and not gradients.off(inner.parent, line):
                if isinstance(inner.node, ast.With | ast.AsyncWith):
                    return f"line {inner.node.lineno}: with {', '.join(map(ast.unparse, inner.node.items))}"
        return "an earlier line switches it off"

    def _values(self, number: int) -> tuple[list[Fact], list[str]]:
        known: dict[str, Value] = {}
        unknown: dict[str, None] = {}
        for node, block in self._used.get(number, ()):
            if isinstance(node, ast.Name) and (node.id in ("self", "cls") or hasattr(builtins, node.id)):
                continue
            if isinstance(node, _NAMED) and self.model.outline.imported(node, block) is not None:
                continue
            value = self.model.kinds.of(node, block)
            text = written(self.model.source, node)
            if value.kind is Kind.NUMBER and isinstance(node, ast.UnaryOp | ast.BinOp):
                continue
            if value.kind is Kind.UNKNOWN and isinstance(node, _NAMED):
                unknown[text] = None
            elif value.kind not in _SILENT_KINDS:
                known.setdefault(text, value)
        return [Fact(text, value) for text, value in known.items()], [text for text in unknown if text not in known]

    def _all_used(self) -> Iterator[tuple[ast.expr, Block]]:
        """The values that calls, tests, texts, loops, assignments and returns use, in source order."""
        outline = self.model.outline
        found = [(node, place.block) for place in outline.all_calls() for node in _parts(place.node)]
        found += [(node, place.block) for place in outline.reads for node in _parts(place.node)]
        found += [(node, block) for statement, block in outline.block_of.items() for node in _parts(statement)]
        yield from sorted(
            ((node, block) for node, block in found if not isinstance(node, _NO_VALUES)),
            key=lambda item: (position(item[0]), end_position(item[0])),
        )


def last_header_line(node: ast.stmt) -> int:
    """The last line of a simple statement, or of a compound one's header."""
    if not hasattr(node, "body"):
        return node.end_lineno or node.lineno
    header = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    return max((getattr(child, "end_lineno", node.lineno) for child in header), default=node.lineno)


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The values that one node uses."""
    match node:
        case ast.Call():
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
            for item in node.args:
                yield item.value if isinstance(item, ast.Starred) else item
            yield from (keyword.value for keyword in node.keywords)
        case ast.FormattedValue(value=value):
            yield value
        case ast.BinOp(op=ast.Mod(), right=right):
            yield from right.elts if isinstance(right, ast.Tuple) else [right]
        case ast.BoolOp(values=values):
            for value in values:
                yield from _parts(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _parts(operand)
        case ast.Compare(left=left, comparators=comparators):
            yield from (left, *comparators)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Return():
            if node.value is not None:
                yield node.value
            if isinstance(node, ast.AugAssign):
                yield node.target
        case ast.For() | ast.AsyncFor():
            yield node.iter
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield node
