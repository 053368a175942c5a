"""Execute the body of a function, once for each context: how often it runs, and what it is given."""

from __future__ import annotations

import ast

from trainlint.finding import LoopKind
from trainlint.interpreter import bounds
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.execution.arguments import handed, parameters
from trainlint.interpreter.libraries.frameworks import BESIDE_TRAINING, EVALUATION_FUNCTION, TRAINING_STEP
from trainlint.interpreter.machine.events import Link
from trainlint.interpreter.machine.frame import ELSEWHERE, Arguments, Effect, Frame, Heat, Remembered, Started, Told
from trainlint.interpreter.machine.left_out import LeftOut
from trainlint.interpreter.machine.loaders import of_given_loaders
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import FunctionValue, Object
from trainlint.interpreter.values.definitions import Class, Function
from trainlint.interpreter.values.joining import join, joined
from trainlint.interpreter.values.kinds import NONE, UNKNOWN, Stream, Tensor
from trainlint.interpreter.values.value import Environment, Value


def call_function(run: Run, value: FunctionValue, arguments: Arguments, node: ast.AST) -> Value:
    """Call a function of the project."""
    function = value.function
    args = (*value.args, *arguments.args)
    named = {**value.named, **arguments.named}
    self_value = value.bound
    if self_value is not None:
        args = (self_value, *args)
    elif function.cls is not None and args and isinstance(args[0], Object):
        self_value = args[0]
    values = parameters(function, Arguments(args, named, arguments.open, arguments.rest))
    step = f"passed by {run.frame.module.path}:{getattr(node, 'lineno', 0)}"
    values = {name: handed(given, step) for name, given in values.items()}
    result = execute(run, function, values, self_value, node)
    by_name = function.name != "__iter__"  # that of a dataset is mostly executed by the workers of a loader
    if run.started is not None and by_name and function in run.generators:
        run.started.append(Started(function, values, self_value, node))
    return result


def serve(run: Run, generator: Started) -> None:
    """Execute the loop of a generator as often as the loop of training steps that takes what it yields."""
    effects, run.effects = run.effects, set()
    run.serving = True
    execute(run, *generator)
    run.serving, run.effects = False, effects


def execute(run: Run, function: Function, values: Environment, self_value: Value | None, node: ast.AST | None) -> Value:
    """The result of a function in a context; what it does is added to the effects of the code around."""
    heat = _heat(run, function, values)
    run.look_at_call(function, heat, node)
    kind = "elsewhere" if heat in ELSEWHERE else heat
    given = tuple(sorted([(name, value.known_key or value.key) for name, value in values.items()]))
    key = (kind, given, run.level == "sure", run.quiet, run.learning, run.serving)
    remembered = run.remembered.setdefault(function, {})
    known = remembered.get(key)
    changes = run.changes.get(self_value.cls, 0) if isinstance(self_value, Object) else 0
    if known is not None and known.changes == changes:
        return _repeated(run, known, function, node)
    contexts = run.contexts.setdefault(function, {}).setdefault(kind, [])
    limit = _limit(run, function, len(contexts) if known is None else 0, kind)
    if limit is not None:
        run.leave_out(LeftOut(function.module.path, function.node.lineno, function.name, limit))
    if limit is not None or _recursive(run, function):
        return of_given_loaders(_what_is_known(run, function, contexts), values)
    remembered[key] = (known or Remembered(run.results.get(function, UNKNOWN)))._replace(changes=changes)
    if known is None:
        contexts.append(key)
    done = remembered[key] = _execute(run, function, values, self_value, node, heat)._replace(changes=changes)
    result, effects = done.result, done.effects
    old = run.results.get(function)
    run.results[function] = result if old is None else join(old, result)
    run.stepped = run.stepped or "optimizes" in effects
    run.effects |= effects
    _look_at_kind(run, effects, node)
    return result


def _repeated(run: Run, known: Remembered, function: Function, node: ast.AST | None) -> Value:
    """The result of a body that is not executed again."""
    run.effects |= known.effects
    _look_at_kind(run, known.effects, node)
    run.stepped = run.stepped or "optimizes" in known.effects
    run.tell_again(known.told, function, node)
    run.passed(known.passes)
    return known.result


def _look_at_kind(run: Run, effects: frozenset[Effect], node: ast.AST | None) -> None:
    """Show a call that trains, by what its body does."""
    if node is not None and ("looped" in effects or "trains" in effects):
        run.look_at_kind(node, LoopKind.EPOCH if "looped" in effects else LoopKind.STEP)


def _heat(run: Run, function: Function, values: Environment) -> Heat:
    """How often the body runs: as its caller, unless the name says otherwise, or what it gave is remembered."""
    declared = run.project.declared
    if not declared.cold.isdisjoint((function.name, function.qualified_name)):
        return run.cooled("off")
    if run.heat == "cold" and not declared.hot.isdisjoint((function.name, function.qualified_name)):
        return "step"
    if function.memo and not any(isinstance(value, Tensor) for value in values.values()):
        return run.cooled("rare")
    if run.heat in ("cold", "step") and BESIDE_TRAINING.search(function.name):
        return "evaluation"
    if (run.heat == "step" or run.learning) and run.level != "framework" and EVALUATION_FUNCTION.search(function.name):
        return "evaluation"
    return "step" if run.heat == "cold" and function.name == TRAINING_STEP else run.heat


def _limit(run: Run, function: Function, contexts: int, kind: str) -> Limit | None:
    """The limit that keeps a body from being executed."""
    constructs = kind == "cold" and function.name == "__init__"
    if contexts >= (bounds.CONSTRUCTIONS if constructs else bounds.CONTEXTS[kind]):
        return Limit.CONTEXTS
    if len(run.stack) > bounds.NESTED_CALLS:
        return Limit.CALLS
    return Limit.STATEMENTS if function.module.spent > function.module.allowed else None


def _recursive(run: Run, function: Function) -> bool:
    """Whether a function has called itself already: what it gives is what it gave before."""
    return sum(1 for frame in run.stack if frame.function is function) > 1


def _what_is_known(run: Run, function: Function, contexts: list[object]) -> Value:
    """All results in the contexts that were executed."""
    remembered = run.remembered[function]
    for key in contexts:
        run.effects |= remembered[key].effects
    if contexts:
        return joined(remembered[key].result for key in contexts)
    return run.results.get(function, UNKNOWN)


def _execute(
    run: Run, function: Function, values: Environment, self_value: Value | None, node: ast.AST | None, heat: Heat
) -> Remembered:
    around, effects, told, passes, started = run.heat, run.effects, run.told, run.passes, run.started
    run.heat, run.effects, run.told, run.passes = heat, set(), [], []
    frame = Frame(
        function.module,
        dict(values),
        function,
        scopes=function.scopes,
        self_value=self_value,
        called_at=node,
        heat=heat,
    )
    frame.serves, run.serving, run.started = run.serving, False, None
    if heat == "step" and around == "cold":
        frame.step = Link(function.module.path, function.node.lineno, f"{function.name} is run in each training step")
    run.stack.append(frame)
    run.attempt(function.body, frame)
    own, depth, gone = run.told, len(run.stack), run.passes
    run.stack.pop()
    own_effects = _effects_outside(run, function, heat)
    run.heat, run.effects, run.told, run.started = around, effects, [*told, *own], started
    run.passes = list(dict.fromkeys((*passes, *gone)))[: bounds.TOLD_AGAIN]
    inside = tuple(Told(one.event, one.depth - depth, one.start - depth + 1) for one in own)
    if frame.yielded:
        run.generators.add(function)
        return Remembered(Stream(joined(frame.yielded)), own_effects, inside, tuple(gone))
    return Remembered(joined(frame.returned) if frame.returned else NONE, own_effects, inside, tuple(gone))


def _effects_outside(run: Run, function: Function, heat: Heat) -> frozenset[Effect]:
    """What a body has done, for the code around: nothing is trained, or made to be trained, where it evaluates."""
    if heat == "evaluation":
        return frozenset()
    evaluates = EVALUATION_FUNCTION.search(function.name) is not None
    return frozenset(effect for effect in run.effects if not (evaluates and isinstance(effect, Class)))
