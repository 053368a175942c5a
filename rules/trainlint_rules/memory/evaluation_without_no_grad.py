"""TRN303."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.evaluation import (
    carried_out,
    forwards_with_graph,
    is_read_detached,
    results_of,
    wants_gradients,
)
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.analysis.types.backward import LEAVES
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.inference import (
    READS,
    interlude,
    loops_around,
    only_read,
    only_shown,
    volatile_input,
)
from trainlint_rules.memory.idioms.target_networks import forwards_for_nothing
from trainlint_rules.memory.idioms.unused_graphs import graph_is_unused

_EVALUATION = lazy(r"(^|_)(eval\w*|valid\w*|val|test|testing|infer\w*|predict\w*|score|benchmark)($|_)", re.IGNORECASE)
_OTHER_KERNELS = lazy(r"Transformer(?!s\b)|transformer(?!s\b)|MultiheadAttention|padding_mask")
"""Traces of PyTorch's own transformer layers, which take a fused path, with other rounding, where autograd is off."""
_IDLE = 0.5
"""In tests and benchmarks, whose memory nobody misses."""
_ACTION = 0.9
_TARGET = 0.88
_INTERLUDE = 0.88
_TOGGLE = 0.8
_VOLATILE = 0.88
_ONLY_READ = 0.85


class EvaluationWithoutNoGrad(Rule):
    """An evaluation loop runs the model with autograd on

    ## Why
    With autograd on, each forward stores what a backward would need, for a backward that never comes. Evaluation then
    needs the memory of training, so its batches must be smaller than they could be, and each operation records a
    node of the graph. `model.eval()` does not change this: it only switches dropout and batch normalisation.

    ## Example
    ```python
    import torch


    def evaluate(model, val_loader, device):
        model.eval()
        correct = 0
        for inputs, targets in val_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            correct += (model(inputs).argmax(dim=1) == targets).sum()
        return correct.item()
    ```

    ## Use instead
    ```python
    import torch


    @torch.no_grad()
    def evaluate(model, val_loader, device):
        model.eval()
        correct = 0
        for inputs, targets in val_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            correct += (model(inputs).argmax(dim=1) == targets).sum()
        return correct.item()
    ```

    `torch.inference_mode()` saves a little more, but what it returns can never meet autograd again: it suits
    programs that only infer.

    An evaluation need not be a loop over a loader. Found, too: the forward that chooses an action in a loop which acts
    in an environment; targets from a network that is only ever copied into, and that no optimizer of the file trains;
    a forward between `model.eval()` and `model.train()`; a forward whose result is cut off from its graph wherever it
    is used (`.argmax()`, `.detach()`, `.numpy()`, a saved image); `volatile=True`, which PyTorch ignores since 0.4; and
    `requires_grad` taken from each parameter and given back around a forward.

    The fix is safe where nothing of what it wraps can reach a backward. Where results leave the function with their
    graph, and for targets, whose unused gradients it takes away, it needs `--unsafe-fixes`; where the file names
    PyTorch's own transformer layers, which take a fused path with other rounding when autograd is off,
    `--numeric-fixes`.

    ## Stays silent
    Under `no_grad`, `inference_mode` or `set_grad_enabled(False)` in any form: a block, a decorator, the project's
    own decorator, an exit stack, all callers, the model's own method; in hooks that Lightning runs without autograd;
    for frozen models; where gradients are wanted: attacks, explanations, training while testing, a policy that is
    trained through a copy of its critic; for a module's own parts, whose caller decides; for a script's one forward.

    ## Confirmed by
    `trainlint probe` times the forwards at this line of a model in `eval()` that record a graph which no backward asks
    for; autograd's part of it is less. `torch.is_grad_enabled()` is true in the forward of a model whose `training` is
    false, and its output has a `grad_fn` that no backward asks for.

    ## Gain
    The memory of all activations of the evaluated batch, and the time of recording the graph: no speed where the batch
    size stays as it is. Not measured here.

    ## References
    - Locally disabling gradient computation:
      https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    - `torch.no_grad`: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TRN303"
    name = "evaluation-without-no-grad"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.EVALUATION_WITH_GRADIENTS})
    triggers = Triggers(loops=True, calls=frozenset({"eval", "load_state_dict", "Variable"}) | READS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find forwards that build graphs which nothing trains: in evaluations, for actions and targets, for a look."""
        node = site.node
        if isinstance(node, ast.Call):
            yield from self._around_call(site, last_name(node.func))
            return
        loop = site.file.outline.loop_blocks[node]
        if site.file.loops.kind(loop) is LoopKind.EVAL:
            yield from self._evaluation(site, loop)
        elif site.file.loops.acts_on_environment(loop) and not _loops_around(loop, site):
            yield from self._actions(site, loop)
        yield from self._targets(site)

    def _around_call(self, site: Site, name: str) -> Iterator[Finding]:
        if name == "eval":
            yield from self._interlude(site)
        elif name == "load_state_dict":
            yield from self._targets(site)
        elif name == "Variable":
            yield from self._volatile(site)
        else:
            yield from self._unused(site, only_read(site.file, site.place))

    def _evaluation(self, site: Site, loop: Block) -> Iterator[Finding]:
        if site.file.heats.of(loop).heat not in (Heat.EVAL_STEP, Heat.ONCE, Heat.UNKNOWN, Heat.EPOCH, Heat.RARE):
            return
        if isinstance(getattr(site.node, "body", [None])[-1], ast.Break | ast.Return):
            return  # one batch, as lazy modules need for their set-up
        forwards = forwards_with_graph(site.file, loop)
        if not forwards or any(_is_evaluation(site, outer) for outer in _loops_around(loop, site)):
            return
        if wants_gradients(site.file, loop) or _is_trained(site, carried_out(site.file, loop, forwards)):
            return
        message = (
            f"this evaluation runs `{ast.unparse(_function(forwards[0]))}` with autograd on: each forward stores its "
            "activations for a backward that never comes; run it under `torch.no_grad()`"
        )
        yield self.finding(
            site.at(site.node, loop),
            message,
            at=forwards[0].node,
            confidence=min(_confidence(site), _most(site)),
            fix=partial(_without_graph, site, loop),
        )

    def _actions(self, site: Site, loop: Block) -> Iterator[Finding]:
        """In a loop over an environment's steps: the forward whose result is only read, never trained."""
        for place in forwards_with_graph(site.file, loop):
            results = results_of(place) - {"_"}
            if not isinstance(place.statement, ast.Assign):
                continue
            if _may_be_trained(site, results) and not graph_is_unused(site.file, place):
                continue
            if not any(is_read_detached(loop, name) for name in results):
                continue
            message = (
                f"`{ast.unparse(_function(place))}` chooses an action with autograd on and records a graph that "
                "nothing trains; run it under `torch.no_grad()`"
            )
            yield self._forward(site, place, message, _ACTION, Safety.SAFE)

    def _targets(self, site: Site) -> Iterator[Finding]:
        """Behind a copy of one network's parameters into another's: forwards of the copy, which nothing trains."""
        for place in forwards_for_nothing(site.file, site.node):
            message = (
                f"`{ast.unparse(_function(place))}` is a copy that no optimizer trains, but this records a graph "
                "through it; compute targets under `torch.no_grad()`"
            )
            yield self._forward(site, place, message, _TARGET, Safety.UNSAFE)

    def _interlude(self, site: Site) -> Iterator[Finding]:
        """Between `model.eval()` and the `model.train()` after it: forwards with autograd on."""
        found = interlude(site.file, site.place)
        if found is None:
            yield from self._unused(site, only_shown(site.file, site.place))
            return
        if found.toggle is not None:
            message = (
                "this takes `requires_grad` from each parameter for one evaluation and gives it to each of them after, "
                "frozen ones included; run the forward under `torch.no_grad()` instead"
            )
            yield self.finding(
                Site(site.file, found.toggle), message, confidence=min(_TOGGLE, _most(site)), severity=Severity.ADVICE
            )
        for place in found.forwards[:1] if not wants_gradients(site.file, site.block) else ():
            results = results_of(place)
            # An attribute that training stores, too, is stored anew before the next backward.
            if _is_trained(site, {name for name in results - {LEAVES} if "." not in name}):
                continue
            message = (
                f"`{ast.unparse(_function(place))}` is switched to `eval()` for this forward and back after it, but "
                "autograd is on and stores activations for a backward that never comes; run it under `torch.no_grad()`"
            )
            yield self._forward(site, place, message, _INTERLUDE, _safety(site, results))

    def _volatile(self, site: Site) -> Iterator[Finding]:
        forward = volatile_input(site.file, site.place)
        if forward is not None:
            message = (
                "PyTorch ignores `volatile` since 0.4, so that "
                f"`{ast.unparse(_function(forward))}` records a graph; run it under `torch.no_grad()` instead"
            )
            yield self.finding(site, message, at=site.statement, confidence=min(_VOLATILE, _most(site)))

    def _unused(self, site: Site, places: list[Place]) -> Iterator[Finding]:
        """Forwards whose graphs nothing uses."""
        for place in places:
            if any(site.file.loops.acts_on_environment(loop) for loop in loops_around(place.block)):
                continue
            message = (
                f"nothing uses the graph that `{ast.unparse(_function(place))}` records here: its result is cut off "
                "from it wherever it is used; run it under `torch.no_grad()`"
            )
            yield self._forward(site, place, message, _ONLY_READ, Safety.SAFE)

    def _forward(self, site: Site, place: Place, message: str, confidence: float, safety: Safety) -> Finding:
        fix = _wrapped(site, [place.statement], safety)
        return self.finding(
            Site(site.file, place), message, at=place.statement, confidence=min(confidence, _most(site)), fix=fix
        )


def _function(place: Place) -> ast.expr:
    assert isinstance(place.node, ast.Call)
    return place.node.func


def _loops_around(loop: Block, site: Site) -> list[Block]:
    """The loops around this one in the same function."""
    found = []
    for block in loop.outwards()[1:]:
        if block.kind is BlockKind.FUNCTION:
            break
        if block.kind is BlockKind.LOOP:
            found.append(block)
    return found


def _is_evaluation(site: Site, loop: Block) -> bool:
    return site.file.loops.kind(loop) is LoopKind.EVAL


def _is_trained(site: Site, names: set[str]) -> bool:
    """Whether a backward goes through what these names hold."""
    flow = site.file.backwards(site.block)
    return any(flow.goes_through(name) for name in names)


def _may_be_trained(site: Site, names: set[str]) -> bool:
    """The same, or whether it is handed to code that might."""
    flow = site.file.backwards(site.block)
    return LEAVES in names or _is_trained(site, names) or any(flow.leaves(name) for name in names)


def _most(site: Site) -> float:
    """How sure a finding may be at most in this file."""
    return _IDLE if site.file.skeleton.is_test_file else 1.0


def _confidence(site: Site) -> float:
    function = site.function
    root = function.node if function is not None else site.file.tree
    switched = _switches(site.file, root)
    named = function is not None and bool(_EVALUATION.search(function.name))
    if not switched and not named:
        return 0.5
    called_here = function is None or bool(site.file.graph.callers.get(function))
    return 0.93 if switched and called_here else 0.9


@once
def _switches(file: SemanticModel, root: ast.AST) -> bool:
    """Whether a function or module of a file calls something's `eval`."""
    return any(isinstance(part, ast.Call) and last_name(part.func) == "eval" for part in nodes_in(root))


def _without_graph(site: Site, loop: Block) -> Fix | None:
    function = site.function
    if function is None or not _only_evaluates(site, function):
        forwards = forwards_with_graph(site.file, loop)
        return _wrapped(site, [site.statement], _safety(site, carried_out(site.file, loop, forwards)))
    return _decorated(site, function, _safety(site, _results_in(site.file, function.body)))


@once
def _results_in(file: SemanticModel, body: Block) -> set[str]:
    """The names that hold results of forwards in a function, with their graphs."""
    return {name for place in forwards_with_graph(file, body) for name in results_of(place)}


def _safety(site: Site, results: set[str]) -> Safety:
    """SAFE where no result can reach a backward, and where PyTorch runs the same kernels with autograd off."""
    around = [item.context_expr for outer in site.block.outwards() for item in getattr(outer.node, "items", ())]
    if _may_be_trained(site, results) or any(AUTOCAST.name in ast.unparse(context) for context in around):
        return Safety.UNSAFE  # autocast would keep weights that it cast without a graph for the rest of its block
    return Safety.NUMERICS if site.file.says(_OTHER_KERNELS) else Safety.SAFE


def _only_evaluates(site: Site, function: Function) -> bool:
    """Whether a whole function is an evaluation: then a decorator says it best."""
    if function.is_generator or not isinstance(function.node, ast.FunctionDef) or site.file.loops.summary(function):
        return False
    return bool(_EVALUATION.search(function.name))


def _decorated(site: Site, function: Function, safety: Safety) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, insert_decorator

    def make() -> Fix:
        torch, imports = ensure_import(site.source, site.file.tree, "torch")
        assert isinstance(function.node, ast.FunctionDef)
        decorator = insert_decorator(site.source, function.node, f"{torch}.no_grad()")
        return Fix("Switch autograd off for this function", tuple(sorted((*imports, decorator))), safety)

    return attempt(make)


def _wrapped(site: Site, statements: list[ast.stmt], safety: Safety) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, attempt, ensure_import, wrap_in_with

    def make() -> Fix:
        torch, imports = ensure_import(site.source, site.file.tree, "torch")
        block = wrap_in_with(site.source, statements, f"with {torch}.no_grad():")
        if block is None:
            raise Unfixable(f"line {statements[0].lineno} of {site.path} cannot be indented")
        return Fix("Switch autograd off here", tuple(sorted((*imports, *block))), safety)

    return attempt(make)
