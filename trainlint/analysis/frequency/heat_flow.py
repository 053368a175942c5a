"""Heat as it flows from loops and roles along the calls of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.frequency.block_ways import BlockContexts, BlockHeat, heat_behind_branch
from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact, Order
from trainlint.analysis.frequency.unmet_requirements import Unmet, UnmetRequirements
from trainlint.analysis.programs.steps import LoopKind, Steps
from trainlint.analysis.tables.frameworks.roles import is_called_to_test, role
from trainlint.finding import IN_WORKERS, Heat

_ONCE = frozenset(
    {"__init__", "main", "setup", "configure_optimizers", "prepare_data", "parse_args", "__post_init__", "build_model"}
)
_SET_UP = HeatFact(Heat.ONCE, 0.9)
_TEST_FILE_CEILING = 0.5
"""How sure heat can be in code of tests and benchmarks, which trains nothing that anyone pays for."""


class FrequencyFixpoint:
    """Heat of a network's blocks and functions.

    Functions that call each other in circles are settled by raising heats until nothing changes, so that no
    answer depends on which question came first. `imported_heats` gives functions the heat of callers outside the
    network, `handed`, `answers` and `is_called` what `UnmetRequirements` says of them.
    """

    def __init__(
        self,
        net: CallGraph,
        steps: Steps,
        imported_heats: Mapping[int, HeatFact] | None = None,
        handed: Mapping[tuple[int, str, bool], tuple[str, ...]] | None = None,
        *,
        answers: Mapping[tuple[int, bool], Unmet] | None = None,
        is_called: Callable[[int], bool] = lambda function: True,
    ) -> None:
        self.net = net
        self.steps = steps
        self.imported_heats = imported_heats or {}
        self.requirements = UnmetRequirements(self, handed or {}, answers or {}, is_called)
        self._functions: dict[int, HeatFact] | None = None
        self._owned: dict[int, HeatFact | None] = {}
        self._facts: dict[int, HeatFact] = {}
        self._never: dict[int, HeatFact] = {}
        """Blocks with calls that the calls of their function do not let run, or not by default → their heat."""
        self._ways = BlockContexts(net, steps)

    def of(self, block: int) -> HeatFact:
        """The heat of code that stands directly in a block."""
        if block not in self._facts:
            found = self._ways.of(block)
            self._facts[block] = self._as_called(found, self._absolute(found, self._settled())).capped
        return self._facts[block]

    def _as_called(self, found: BlockHeat, fact: HeatFact) -> HeatFact:
        """The heat of a block that requires something of settings, by what the calls of its function give them.

        Where all give something else, it does not run. Where that is only what an option is by default, or where all
        pass what must be None and may be that, most runs do without it.
        """
        if not found.context.requires or not (fact.heat.in_step or fact.heat is Heat.EVAL_STEP):
            return fact
        lowered = fact
        for clause in found.context.requires:
            unmet = self.requirements.unmet(found, clause)
            if unmet is Unmet.NEVER:
                words = clause[0].words if clause else "in few steps"
                return HeatFact(Heat.RARE, fact.confidence, (*fact.chain, words))
            if unmet is not None and lowered is fact:
                lowered = heat_behind_branch(fact, clause[0].words, False)
        return lowered

    @property
    def any_in_step(self) -> bool:
        """Whether any code may run in each training step: if so, then in a function or a loop that does."""
        loops = (loop for inside in self.net.loops_in.values() for loop in inside)
        functions = self._settled().values()
        return any(fact.heat.in_step for fact in functions) or any(
            self.steps.kind(loop) is LoopKind.STEP for loop in loops
        )

    def function(self, function: int) -> HeatFact:
        """The heat of a function's body as a whole."""
        return self._settled().get(function, UNKNOWN_HEAT)

    def heat_along(self, function: int, edge: Edge) -> HeatFact | None:
        """The heat that one caller gives a function; None where its call does not say when the function runs."""
        return self._from_caller(function, edge, self._settled())

    def hottest_along(self, function: int, edges: Sequence[Edge]) -> HeatFact | None:
        """The hottest of what some callers give a function; None where that is unknown."""
        return self._hottest_along(function, edges, self._settled())

    def _absolute(self, found: BlockHeat, functions: dict[int, HeatFact]) -> HeatFact:
        """The heat of a block once the heat of its function is known."""
        if found.fact is not None:
            return found.fact
        way = found.context
        fact = _SET_UP if found.function == NOWHERE else functions.get(found.function, UNKNOWN_HEAT)
        fact = heat_behind_branch(fact, way.optional or (way.rare or "" if fact.heat is Heat.ONCE else ""), way.unknown)
        if way.batches != NOWHERE and not fact.heat.in_step:
            return HeatFact(Heat.EVAL_STEP, 0.85, (self.net.shapes[way.batches].words,), way.unknown)
        return self._inside_step(found, fact) if fact.heat.in_step or fact.heat is Heat.EVAL_STEP else fact

    def _inside_step(self, found: BlockHeat, fact: HeatFact) -> HeatFact:
        """The heat of a block whose function runs in each step."""
        way = found.context
        if way.rare is not None:
            return HeatFact(Heat.RARE, fact.confidence, (*fact.chain, way.rare))
        if found.function != NOWHERE and self.net.functions[found.function].generator:
            # Iterated by a training loop, a generator goes round once with it.
            return fact if way.in_loop else fact._replace(heat=Heat.EPOCH)
        return fact._replace(heat=Heat.INNER) if way.in_loop and fact.heat is Heat.STEP else fact

    def _settled(self) -> dict[int, HeatFact]:
        """The heat of every function: what it has by itself, then what its callers give it, hottest first.

        Worked out again without the calls that turn out never to run there.
        """
        if self._functions is None:
            self._functions = self._settle()
            self._never = self._impossible()
            if self._never:
                self._functions = self._settle()
                self.requirements.forget()
        return self._functions

    def _impossible(self) -> dict[int, HeatFact]:
        """Blocks with calls that need other arguments than the calls of their function pass → their heat."""
        found: dict[int, HeatFact] = {}
        for block in {self.net.call_block[call] for call in self.net.callees}:
            way = self._ways.of(block)
            if way.context.requires:
                fact = self._absolute(way, self._settled())
                as_called = self._as_called(way, fact)
                if (as_called.heat, as_called.optional) != (fact.heat, fact.optional):
                    found[block] = as_called
        return found

    def _settle(self) -> dict[int, HeatFact]:
        """The heat of every function, by what `_never` says so far."""
        count = len(self.net.functions)
        known = {function: self.own_heat(function) or UNKNOWN_HEAT for function in range(count)}
        dependents = self.net.dependents()
        waiting = dict.fromkeys(range(count))
        raised: dict[int, HeatFact] = {}
        while waiting:
            found = {function: self._hottest(function, known, raised) for function in waiting}
            raised = {function: best for function, best in found.items() if best.order > known[function].order}
            known.update(raised)
            waiting = dict.fromkeys(called for function in raised for called in dependents.get(function, ()))
        return known

    def own_heat(self, function: int) -> HeatFact | None:
        """What the user or a framework says of a function's heat, whoever calls it."""
        if function not in self._owned:
            self._owned[function] = self._work_out_own(function)
        return self._owned[function]

    def _work_out_own(self, function: int) -> HeatFact | None:
        shape = self.net.functions[function]
        if shape.declared is not None:
            words = "cold" if shape.declared is Heat.ONCE else "hot"
            return HeatFact(shape.declared, 1.0, (f"{shape.qualified_name}: declared {words} in the configuration",))
        bases = self.net.skeletons[self.net.file_of_function[function]].bases
        found = role(shape.name, shape.qualified_name, shape.owner, bases.get(shape.owner or "", ()), shape.decorators)
        return HeatFact(found.heat, found.confidence, (found.why,)) if found is not None else None

    def _hottest(self, function: int, known: dict[int, HeatFact], raised: Mapping[int, HeatFact]) -> HeatFact:
        """The hottest use of a function, by what is known so far.

        Where heats of some functions have been raised since this one was looked at, only those calls count.
        """
        own = self.own_heat(function)
        if own is not None:
            return own
        edges = self.net.callers.get(function, [])
        if raised and self.net.function_of[self.net.outside_block(function)] not in raised:
            edges = [edge for edge in edges if self.net.function_of[self.net.call_block[edge.call]] in raised]
            return self._hottest_along(function, edges, known) or UNKNOWN_HEAT
        best = self._hottest_along(function, edges, known)
        told = self.imported_heats.get(function)
        if told is not None and (best is None or told.preference > best.preference):
            best = told
        if best is not None and best.heat is not Heat.UNKNOWN:
            return best
        return self._as_hook(function) or self._where_defined(function, best or UNKNOWN_HEAT, known)

    def _as_hook(self, function: int) -> HeatFact | None:
        """The heat of a function with a backward that nobody calls: a loop elsewhere does, unless it is a main."""
        if function in self.imported_heats or self.net.callers.get(function):
            return None
        shape = self.net.functions[function]
        if shape.name in _ONCE or shape.name.startswith("test") or self.steps.summary(function) is not LoopKind.STEP:
            return None
        sure = 0.85 if shape.owner is not None else 0.65  # a plain function may as well be a whole script
        return HeatFact(Heat.STEP, sure, (f"{shape.qualified_name}: holds a training step outside any loop",))

    def _where_defined(self, function: int, found: HeatFact, known: dict[int, HeatFact]) -> HeatFact:
        """The heat of a function by what it is defined in, or by its name; `found` where neither tells."""
        outside = self.net.outside_block(function)
        if self.net.function_of[outside] != NOWHERE:
            return self._absolute(self._ways.of(outside), known)
        return HeatFact(Heat.ONCE, 0.6) if self.net.functions[function].name in _ONCE else found

    def _hottest_along(self, function: int, edges: Sequence[Edge], known: dict[int, HeatFact]) -> HeatFact | None:
        """The hottest of what some callers give a function; None where that is unknown.

        Chains are written only for the hottest: that takes longer than all else.
        """
        best: list[Edge] = []
        highest: tuple[Order, int] | None = None
        for edge in edges:
            called = edge.how is Handing.CALLED
            if called and self._is_unknown(edge, known):
                continue
            fact = self._at_call(function, edge, known) if called else self._from_caller(function, edge, known)
            if fact is None or fact.heat is Heat.UNKNOWN:
                continue
            sure = fact.confidence * edge.confidence if called else fact.confidence
            rank = (fact.order_if(sure), -len(fact.chain) - called)
            if highest is None or rank > highest:
                best, highest = [edge], rank
            elif rank == highest:
                best.append(edge)
        facts = [fact for edge in best if (fact := self._from_caller(function, edge, known)) is not None]
        return max(facts, key=lambda fact: fact.preference, default=None)

    def _is_unknown(self, edge: Edge, known: dict[int, HeatFact]) -> bool:
        """Whether a call stands in a function of unknown heat and, as nearly all do, in no loop of its own."""
        found = self._ways.of(self.net.call_block[edge.call])
        return (
            found.fact is None
            and found.context.batches == NOWHERE
            and self.net.calls[edge.call].loop == NOWHERE
            and known.get(found.function) is UNKNOWN_HEAT
        )

    def _at_call(self, function: int, edge: Edge, known: dict[int, HeatFact]) -> HeatFact:
        net = self.net
        block = net.call_block[edge.call]
        call = net.calls[edge.call]
        if call.loop != NOWHERE and net.functions[function].generator:
            block += call.loop - call.block  # the generator's code runs where its elements are taken
        if block in self._never:
            return self._never[block]
        return self._absolute(self._ways.of(block), known)

    def _from_caller(self, function: int, edge: Edge, known: dict[int, HeatFact]) -> HeatFact | None:
        net = self.net
        shape, call = net.functions[function], net.calls[edge.call]
        fact = self._at_call(function, edge, known)
        if edge.how is Handing.PASSED:
            return None
        if edge.how is Handing.WORKER:
            return HeatFact(Heat.WORKER, 0.95, (f"line {call.line}: {shape.name} {IN_WORKERS}",))
        if edge.how is Handing.HOOK:
            step = f"line {call.line}: {shape.qualified_name} is handed to a trainer"
            return HeatFact(Heat.STEP, 0.8, self._seen_from(function, edge, (step,)))
        if edge.how is Handing.CLOSURE:
            step = f"line {call.line}: closure of the optimizer"
            return fact._replace(confidence=0.6 * fact.confidence, chain=(*fact.chain, step))
        steps = (*fact.chain, f"line {call.line}: calls {shape.qualified_name}")
        chain = self._seen_from(function, edge, steps)
        heat = Heat.EVAL_STEP if fact.heat.in_step and is_called_to_test(shape.name) else fact.heat
        return HeatFact(heat, fact.confidence * edge.confidence, chain, fact.behind_unknown, fact.optional)

    def _seen_from(self, function: int, edge: Edge, chain: tuple[str, ...]) -> tuple[str, ...]:
        """A chain that ends with a call, as it reads in the file of the function that this runs."""
        home = self.net.file_of_call(edge.call)
        if home == self.net.file_of_function[function]:
            return chain
        return tuple([_located(step, self.net.skeletons[home].path) for step in chain])


def _located(step: str, path: str) -> str:
    """A step of a chain as it reads in another file: "train.py:88: ..." instead of "line 88: ..."."""
    return f"{path}:{step[5:]}" if step.startswith("line ") else step


def limited_in_test_file(fact: HeatFact) -> HeatFact:
    """The same heat in a file that tests or measures."""
    return fact._replace(confidence=min(fact.confidence, _TEST_FILE_CEILING))
