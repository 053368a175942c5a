"""What the functions of a file do whenever they are called: they reduce, gather, take gradients."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:  # the model asks this module, which so must not import it; most files have no function with effects
    from trainlint.analysis.effects.effect import CalledFunction, Effect
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Function, Place


def own_effects(file: SemanticModel) -> Mapping[Function, tuple[Effect, ...]]:
    """What the file's functions do themselves, whenever they are called."""
    effects: list[tuple[Function, Effect]] = []
    if "reduce" in file.source.text:  # spares most files the import
        from trainlint.analysis.effects.given.reductions import reductions

        effects += reductions(file)
    if "all_gather" in file.source.text:
        from trainlint.analysis.effects.gathered_lists import gathered_lists

        effects += gathered_lists(file)
    if "grad" in file.source.text or "backward" in file.source.text:
        from trainlint.analysis.effects.own_gradients import own_gradients

        effects += own_gradients(file)
    found: dict[Function, tuple[Effect, ...]] = {}
    for function, effect in effects:
        known = found.get(function, ())
        if all((other.kind, other.of) != (effect.kind, effect.of) for other in known):
            found[function] = (*known, effect)
    return found


class FunctionEffects:
    """The effects of one file's functions, with those of what they call."""

    def __init__(self, file: SemanticModel) -> None:
        self._file = file

    @cached_property
    def _effects(self) -> dict[int, tuple[Effect, ...]]:
        """What each function does, itself or through others."""
        from trainlint.analysis.effects.effect_flow import spread_effects

        own = {self._file.numbers[function]: effects for function, effects in self._file.own_effects.items()}
        return spread_effects(self._file.call_graph, own)

    def of(self, function: Function) -> tuple[Effect, ...]:
        """What a function of the file does, itself or through others."""
        return self._effects.get(self._file.numbers[function], ())

    def called(self, call: ast.Call) -> tuple[CalledFunction, ...]:
        """The functions of the file with effects that a call runs."""
        from trainlint.analysis.effects.effect import CalledFunction

        edge = self._file.graph.callee.get(call)
        applied = self._applied(call) if edge is None else None
        function = edge.function if edge is not None else applied
        effects = self._effects.get(self._file.numbers[function], ()) if function is not None else ()
        if function is None or not effects:
            return ()
        shape = self._file.skeleton.functions[self._file.numbers[function]]
        parameters = shape.parameters[1:] if applied is not None else shape.parameters  # without `ctx`
        return (CalledFunction(shape.qualified_name, parameters, effects),)

    def _applied(self, call: ast.Call) -> Function | None:
        """The `forward` that `Fn.apply(...)` runs, of a class of this file with custom gradients."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != "apply" or not isinstance(func.value, ast.Name):
            return None
        cls = self._file.outline.classes.get(func.value.id)
        return cls.methods.get("forward") if cls is not None else None

    def calls_with(self, kinds: frozenset[str]) -> list[Place]:
        """The calls of functions, with effects of some kinds, by the values of these."""
        if not self._file.own_effects:
            return []
        return [
            place
            for place in self._file.telling_calls
            if isinstance(place.node, ast.Call)
            and any(effect.kind.value in kinds for called in self.called(place.node) for effect in called.effects)
        ]
