"""How often a line runs, in units of training, and the chain that explains it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from trainlint.finding import Heat
from trainlint.model.blocks import Block, BlockKind, Class, Function, Place
from trainlint.model.graph import CallGraph, Edge
from trainlint.model.guards import rare_when
from trainlint.model.loops import LoopKind, Loops
from trainlint.model.names import last_name
from trainlint.model.outline import Outline

_STEP_HOOKS = frozenset(
    "training_step compute_loss run_step optimize_parameters train_step forward_backward fit_batch "
    "compute_forward compute_objectives "
    "on_train_batch_start on_train_batch_end on_before_backward on_after_backward on_before_optimizer_step "
    "on_step_begin on_step_end "
    "after_train_iter before_train_iter training_step_end optimizer_step".split()
)
_EVAL_HOOKS = frozenset(
    "validation_step test_step predict_step prediction_step evaluate_batch eval_step on_validation_batch_end "
    "on_test_batch_end val_step".split()
)
_EPOCH_HOOKS = re.compile(r"^on_\w*epoch_\w+$|^\w+_epoch_(start|end)$|^(before|after)_\w*epoch$")
_ONCE = frozenset(
    {"__init__", "main", "setup", "configure_optimizers", "prepare_data", "parse_args", "__post_init__", "build_model"}
)
_WORKER_METHODS = frozenset({"__getitem__", "__getitems__", "__iter__"})
_HOOK_OWNER = re.compile(
    r"Module|Trainer|Brain|Callback|Hook|Task|Engine|Recipe|Model|Runner|Learner|System|LightningModule", re.IGNORECASE
)
_EVAL_NAME = re.compile(
    r"(^|_)(eval|evaluate|evaluation|valid|validate|validation|val|test|infer|inference|predict|sample|"
    r"generate|demo)($|_)",
    re.IGNORECASE,
)
_RANK = {
    Heat.INNER: 7,
    Heat.STEP: 6,
    Heat.WORKER: 5,
    Heat.EVAL_STEP: 4,
    Heat.EPOCH: 3,
    Heat.RARE: 2,
    Heat.ONCE: 1,
    Heat.UNKNOWN: 0,
}


@dataclass(frozen=True, slots=True)
class HeatFact:
    """How hot a place is, how sure that is, and why, outermost first."""

    heat: Heat
    confidence: float
    chain: tuple[str, ...] = ()


_UNKNOWN = HeatFact(Heat.UNKNOWN, 1.0)


@dataclass(frozen=True, slots=True)
class _Relative:
    """How hot a block is, as far as its own function tells: a fact, or what its function's heat still decides."""

    fact: HeatFact | None
    function: Function | None = None
    rare: str | None = None
    in_loop: bool = False
    batches: Block | None = None
    """A loop over batches around the block: it evaluates, unless the function is hot for another reason."""


@dataclass(slots=True, eq=False)
class Heats:
    """Heat of one file's blocks and functions, worked out when asked for.

    Heat flows from loops and roles along calls. Functions that call each other in circles are settled by
    raising heats until nothing changes, so that no answer depends on which question came first.
    """

    outline: Outline
    graph: CallGraph
    loops: Loops
    hot: frozenset[str] = frozenset()
    """Functions that the user declares to run in each step."""
    cold: frozenset[str] = frozenset()
    ceiling: float = 1.0
    """How sure heat can be at all in this file: code of tests and benchmarks trains nothing that anyone pays for."""
    _functions: dict[Function, HeatFact] | None = None
    _blocks: dict[Block, _Relative] = field(default_factory=dict)

    def of(self, block: Block) -> HeatFact:
        """The heat of code that stands directly in a block."""
        fact = self._absolute(self._relative(block), self._settled())
        return replace(fact, confidence=min(fact.confidence, self.ceiling))

    def function(self, function: Function) -> HeatFact:
        """The heat of a function's body as a whole."""
        return self._settled().get(function, _UNKNOWN)

    def _relative(self, block: Block) -> _Relative:
        if block not in self._blocks:
            self._blocks[block] = self._work_out(block)
        return self._blocks[block]

    def _work_out(self, block: Block) -> _Relative:
        rare: str | None = None
        in_loop = False
        batches: Block | None = None
        current: Block | None = block
        while current is not None:
            if current.kind is BlockKind.LOOP:
                fact = self._loop_fact(current, block, rare, in_loop)
                if fact is not None and batches is None:
                    return _Relative(fact)
                if self.loops.kind(current) is LoopKind.EVAL and batches is None:
                    batches = current
                in_loop = True
            elif current.kind is BlockKind.FUNCTION:
                return _Relative(None, self.outline.function_of[current.node], rare, in_loop, batches)
            elif rare is None:
                rare = self._rarity(current)
            current = current.parent
        return _Relative(None, None, rare, in_loop, batches)

    def _loop_fact(self, loop: Block, block: Block, rare: str | None, in_loop: bool) -> HeatFact | None:
        """What a loop around a block says of its heat; None if the loop says nothing of training."""
        kind = self.loops.kind(loop)
        chain = (describe_loop(loop),)
        if kind is LoopKind.STEP:
            if self.loops.acts_on_environment(loop) and not self._beside_backward(loop, block):
                return HeatFact(Heat.UNKNOWN, 1.0, chain)
            if rare is not None:
                return HeatFact(Heat.RARE, 0.95, (*chain, rare))
            return HeatFact(Heat.INNER if in_loop else Heat.STEP, 0.97, chain)
        if kind is LoopKind.EPOCH:
            return HeatFact(Heat.RARE if rare else Heat.EPOCH, 0.9, (*chain, rare) if rare else chain)
        return None

    def _beside_backward(self, loop: Block, block: Block) -> bool:
        """Whether a block stands with the backward of a loop: under the same tests, or deeper.

        Not in an episode inside it, though: a loop that steps the simulator and takes no training step.
        """
        steps = [proof.block for proof in self.loops.steps_taken() if proof.block.within(loop)]
        for inner in block.outwards():
            if inner is loop:
                break
            if inner.kind is BlockKind.LOOP and self.loops.acts_on_environment(inner):
                if not any(step.within(inner) for step in steps):
                    return False
        return any(block.within(_training_branch(step, loop)) for step in steps)

    def _absolute(self, found: _Relative, functions: dict[Function, HeatFact]) -> HeatFact:
        """The heat of a block once the heat of its function is known."""
        if found.fact is not None:
            return found.fact
        fact = HeatFact(Heat.ONCE, 0.9) if found.function is None else functions.get(found.function, _UNKNOWN)
        if found.batches is not None and not fact.heat.in_step:
            return HeatFact(Heat.EVAL_STEP, 0.85, (describe_loop(found.batches),))
        if fact.heat.in_step or fact.heat is Heat.EVAL_STEP:
            if found.rare is not None:
                return HeatFact(Heat.RARE, fact.confidence, (*fact.chain, found.rare))
            if found.in_loop and fact.heat is Heat.STEP:
                return HeatFact(Heat.INNER, fact.confidence, fact.chain)
        return fact

    def _rarity(self, block: Block) -> str | None:
        """Why a block runs only now and then, or None."""
        if block.kind is BlockKind.EXCEPT:
            return f"line {getattr(block.node, 'lineno', 0)}: in an exception handler"
        if block.kind is not BlockKind.BRANCH or block.test is None or self._guards_training(block):
            return None
        if isinstance(block.node, ast.Assert):
            return f"line {block.test.lineno}: only if the assertion fails"
        if rare_when(block.test, not block.negated, block):
            return f"line {block.test.lineno}: only now and then"
        if isinstance(block.node, ast.If) and not block.after_exit:
            body = block.node.orelse if block.negated else block.node.body
            if _ends_program(body):
                return f"line {block.test.lineno}: only before giving up"
        return None

    def _guards_training(self, block: Block) -> bool:
        """A test that the backward itself stands under is part of the step."""
        return any(proof.block.within(block) for proof in self.loops.steps_taken())

    def _settled(self) -> dict[Function, HeatFact]:
        """The heat of every function: what it has by itself, then what its callers give it, hottest first."""
        if self._functions is None:
            self._functions = {function: self._own(function) or _UNKNOWN for function in self.outline.functions}
            waiting = dict.fromkeys(self.outline.functions)
            while waiting:
                raised: dict[Function, HeatFact] = {}
                for function in waiting:
                    best = self._hottest(function, self._functions)
                    if _order(best) > _order(self._functions[function]):
                        raised[function] = best
                self._functions.update(raised)
                waiting = dict.fromkeys(called for function in raised for called in self.graph.dependents(function))
        return self._functions

    def _own(self, function: Function) -> HeatFact | None:
        """What the user, a framework or the function's own body says of its heat, whoever calls it."""
        declared = {function.name, function.qualified_name}
        if declared & self.cold:
            return HeatFact(Heat.ONCE, 1.0, (f"{function.qualified_name}: declared cold in the configuration",))
        if declared & self.hot:
            return HeatFact(Heat.STEP, 1.0, (f"{function.qualified_name}: declared hot in the configuration",))
        return self._role(function)

    def _hottest(self, function: Function, known: dict[Function, HeatFact]) -> HeatFact:
        """The hottest use of a function, by what is known so far."""
        own = self._own(function)
        if own is not None:
            return own
        edges = self.graph.callers.get(function, [])
        called = (self._from_caller(function, edge, known) for edge in edges)
        best = max((fact for fact in called if fact is not None), key=_order, default=_UNKNOWN)
        if best.heat is not Heat.UNKNOWN:
            return best
        if not edges and self.loops.summary(function) is LoopKind.STEP and self._is_hook(function):
            sure = 0.85 if function.owner is not None else 0.65  # a plain function may as well be a whole script
            return HeatFact(Heat.STEP, sure, (f"{function.qualified_name}: holds a backward pass outside any loop",))
        if self.graph.enclosing(function.outside) is not None:
            return self._absolute(self._relative(function.outside), known)
        return HeatFact(Heat.ONCE, 0.6) if function.name in _ONCE else best

    def _is_hook(self, function: Function) -> bool:
        """A function with a backward that nobody in the file calls is called by a loop elsewhere, unless it "
        "is a script's main.
        """
        return (
            function.name not in _ONCE and not self.graph.callers.get(function) and not function.name.startswith("test")
        )

    def _from_caller(self, function: Function, edge: Edge, known: dict[Function, HeatFact]) -> HeatFact | None:
        fact = self._absolute(self._relative(edge.place.block), known)
        if edge.passed:
            return self._handed_over(function, edge.place, fact)
        step = f"line {getattr(edge.place.node, 'lineno', 0)}: calls {function.qualified_name}"
        return HeatFact(fact.heat, fact.confidence * edge.confidence, (*fact.chain, step))

    def _handed_over(self, function: Function, place: Place, fact: HeatFact) -> HeatFact | None:
        """The heat of a function that is an argument of a call, where the call says when it runs."""
        call = place.node
        assert isinstance(call, ast.Call)
        for keyword in call.keywords:
            if keyword.arg in ("collate_fn", "worker_init_fn") and last_name(keyword.value) == function.name:
                return HeatFact(
                    Heat.WORKER, 0.95, (f"line {call.lineno}: {function.name} runs in the loader's workers",)
                )
        if last_name(call.func) == "step":
            return HeatFact(
                fact.heat, 0.6 * fact.confidence, (*fact.chain, f"line {call.lineno}: closure of the optimizer")
            )
        return None

    def _role(self, function: Function) -> HeatFact | None:
        owner, name = function.owner, function.name
        if owner is None:
            return (
                HeatFact(Heat.WORKER, 0.9, (f"{name}: collates in the loader's workers",))
                if "collate" in name
                else None
            )
        title = f"{function.qualified_name}: called by its framework"
        if name in _WORKER_METHODS and self._is_dataset(owner):
            return HeatFact(Heat.WORKER, 0.9, (f"{function.qualified_name}: runs in the loader's workers",))
        if not self._hooked(owner):
            return None
        if name in _STEP_HOOKS:
            return HeatFact(Heat.STEP, 0.9, (title + " in each step",))
        if name in _EVAL_HOOKS:
            return HeatFact(Heat.EVAL_STEP, 0.9, (title + " for each evaluation batch",))
        if _EPOCH_HOOKS.match(name):
            return HeatFact(Heat.EPOCH, 0.9, (title + " once an epoch",))
        return None

    def _hooked(self, cls: Class) -> bool:
        """Whether a framework may call methods of this class: by its bases or its own name."""
        return any(_HOOK_OWNER.search(last_name(base)) for base in cls.node.bases) or bool(_HOOK_OWNER.search(cls.name))

    def _is_dataset(self, cls: Class) -> bool:
        names = [cls.name, *(last_name(base) for base in cls.node.bases)]
        return any(name.endswith(("Dataset", "Data", "Folder")) or "Dataset" in name for name in names)


def _order(fact: HeatFact) -> tuple[int, float]:
    """Facts sort by heat, then by how sure they are. Chains lose confidence at each call, so raising heats ends."""
    return _RANK[fact.heat], fact.confidence


def _training_branch(block: Block, loop: Block) -> Block:
    """The outermost branch between a loop and a block inside it: what the whole update stands under."""
    found = loop
    current: Block | None = block
    branch: Block | None = None
    while current is not None and current is not loop:
        if current.kind in (BlockKind.BRANCH, BlockKind.LOOP):
            branch = current
        current = current.parent
    return branch if branch is not None else found


def _ends_program(body: list[ast.stmt]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in ("exit", "_exit", "abort")
    return isinstance(last, ast.Raise | ast.Break)


def describe_loop(loop: Block) -> str:
    """A loop in words, as in "line 88: for batch in train_loader"."""
    node = loop.node
    if isinstance(node, ast.For | ast.AsyncFor):
        target = _short(node.target)
        bare = target[1:-1] if isinstance(node.target, ast.Tuple) and target.endswith(")") else target
        return f"line {node.lineno}: for {bare} in {_short(node.iter)}"
    if isinstance(node, ast.While):
        return f"line {node.lineno}: while {_short(node.test)}"
    return "a comprehension"


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."
