"""TRN207."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.creations import (
    ALL,
    FILLED,
    LEGACY,
    Content,
    Creation,
    creation,
    holds_nothing,
)
from trainlint.analysis.effects.forward import computes, sets_up
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, dotted, end_position, last_name
from trainlint.analysis.types.values import Home
from trainlint.finding import Edit, Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.drawn_numbers import drawn_for_device

_HOT = 0.93
_COMPUTING = 0.9
_LIKELY_COMPUTING = 0.82
_SELDOM = 0.05
_BY_HEAT = {
    Heat.EVAL_STEP: 0.6,
    # Helpers, exports and set-up look alike here; two of three places that were read run seldom.
    Heat.UNKNOWN: 0.35,
    Heat.EPOCH: _SELDOM,
    Heat.RARE: _SELDOM,
    Heat.ONCE: _SELDOM,
    Heat.WORKER: 0.0,
}
_BY_CONTENT = {
    Content.EXACT: 1.0,
    Content.ROUNDED: 1.0,
    Content.RANDOM: 1.0,
    Content.CONSTANT: 0.92,
    Content.TABLE: 0.92,
    Content.DRAWN: 0.85,
    Content.NUMBER: 0.85,
    # The values come from the host in any case: what is saved is one allocation.
    Content.DATA: 0.7,
}
_STORED = 0.92
"""A copy that nobody wrote down: `x[0] = torch.tensor(...)` waits as well."""
_SAFETY = {  # for contents that a factory can make on the device; the others need another line of code
    Content.EXACT: Safety.SAFE,
    Content.CONSTANT: Safety.SAFE,
    Content.DATA: Safety.SAFE,
    Content.ROUNDED: Safety.NUMERICS,
    Content.RANDOM: Safety.UNSAFE,
}
_MOVES = frozenset({"to", "cuda", "type_as"})
_SET_BY_SIZE = FILLED - {"full", "full_like", "eye"}
"""What a dtype changes exactly: zero and one are the same number in each."""
_PROGRAM = frozenset({"self", "model", "args", "self.model", "trainer", "engine", "accelerator"})
"""Owners of a `device` that says where the program runs, not where a tensor is."""
_MOVE_TEXT = lazy(r"\s*\.\s*(to|cuda|type_as)\s*\(")


class CreatedOnHostThenMoved(Rule):
    """A tensor made on the host in each step, then moved to the device.

    ## Why
    `torch.zeros(...).to(device)` fills memory on the host and copies it to the device, and the host waits for the copy.
    `torch.zeros(..., device=device)` queues one small kernel and goes on.

    ## Example
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width, length):
            super().__init__()
            self.token = nn.Embedding(1000, width)
            self.place = nn.Embedding(length, width)

        def forward(self, tokens):
            places = torch.arange(tokens.shape[1]).to(tokens.device)
            return self.token(tokens) + self.place(places)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width, length):
            super().__init__()
            self.token = nn.Embedding(1000, width)
            self.place = nn.Embedding(length, width)

        def forward(self, tokens):
            places = torch.arange(tokens.shape[1], device=tokens.device)
            return self.token(tokens) + self.place(places)
    ```

    A constant is better still as a buffer (`register_buffer`) or made once before the loop, and so is a NumPy table
    that stays the same (`torch.from_numpy(self.table).to(device)`). A single Python number needs no copy at all:
    `torch.full((), number, device=device)`. What NumPy draws (`np.random`), torch can draw on the device.

    The fix is safe for fill values, whole numbers and copied values; for fractions (`linspace`, `arange` with a
    fractional step) it changes the last bit at most and needs `--numeric-fixes`; for random numbers it draws from the
    device's generator instead of the host's, gives other numbers for the same seed, and needs `--unsafe-fixes`.

    ## Stays silent
    Outside of steps and forward passes (quietly, below the default confidence), where something is made only the first
    time, for tensors in pinned memory, with a generator or with a device of their own, and for `requires_grad=True`,
    where moving makes another tensor than the leaf. Where NumPy draws numbers for the device alone, TRN217 speaks.

    ## Confirmed by
    `trainlint probe` counts and times the copies at this line, and tells from a trace of a GPU what a step gains
    without the waits. A small `Memcpy HtoD (Pageable -> Device)` at this line in each step of a profile.

    ## Gain
    The allocation on the host, the copy and the wait: tens of microseconds for small tensors, more with their size.
    Nothing outside of the step. Not measured here.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN207"
    name = "created-on-host-then-moved"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    triggers = Triggers(calls=frozenset({"to", "cuda", "type_as"}) | ALL)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tensors that are created on the host and moved at once, where that happens often."""
        call = site.call
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES and _goes_to_device(site, call):
            made = creation(site.file, call.func.value, site.block)
            if made is None or holds_nothing(made):
                return
            if not drawn_for_device(site.file, made.call, site.place):  # of which TRN217 speaks
                message = (
                    f"`torch.{made.factory}` makes this on the host, then it is copied to the device; {_advice(made)}"
                )
                yield from self._found(site, _BY_CONTENT[made.content], message, partial(_fix, site, call, made))
        elif last_name(call.func) in ALL and _is_stored_on_device(site, call):
            made = creation(site.file, call, site.block)
            if made is not None:
                message = f"a tensor made on the host is copied into one on the device here; {_advice(made)}"
                yield from self._found(site, max(_BY_CONTENT[made.content], _STORED), message, None)

    def _found(self, site: Site, worth: float, message: str, fix: Callable[[], Fix | None] | None) -> Iterator[Finding]:
        confidence = _how_often(site) * worth
        if confidence:
            severity = Severity.ADVICE if site.heat.heat in (Heat.ONCE, Heat.RARE) else None
            yield self.finding(site, message, confidence=confidence, fix=fix, severity=severity)


def _advice(made: Creation) -> str:
    if made.content is Content.CONSTANT:
        return "make the constant once, as a buffer or before the loop"
    if made.content is Content.TABLE:
        return "the array stays the same: copy it once, as a buffer or before the loop"
    if made.content is Content.DRAWN:
        return "draw the numbers there with torch"
    if made.content is Content.NUMBER:
        return "a Python number needs no copy: `torch.full((), number, device=...)`"
    return "pass `device=...` to the factory"


def _how_often(site: Site) -> float:
    """How sure it is that this place runs in each step."""
    heat = site.heat.heat
    if runs_where_missing(site.conditions):
        return _SELDOM
    if heat.in_step:
        return _HOT
    if heat in (Heat.UNKNOWN, Heat.EVAL_STEP) and computes(site.file, site.block):
        return _COMPUTING  # what evaluation calls, too, may be all of its callers that are seen
    if heat is Heat.UNKNOWN and _follows_a_tensor(site) and not sets_up(site.function):
        return _LIKELY_COMPUTING
    return _BY_HEAT[heat]


def _goes_to_device(site: Site, call: ast.Call) -> bool:
    name = last_name(call.func)
    if name == "cuda":
        return True
    if name == "type_as":
        return len(call.args) == 1
    return site.file.kinds.device_argument(call, site.block) is Home.DEVICE


def _follows_a_tensor(site: Site) -> bool:
    """Whether the tensor goes where another one is, as in code that computes with it."""
    call = site.call
    if last_name(call.func) == "type_as":
        return True
    given = argument(call, "device", 0)
    if isinstance(given, ast.Attribute) and given.attr == "device":
        owner = dotted(given.value)
        return owner is not None and owner not in _PROGRAM
    return given is not None and site.value(given).is_tensor


def _is_stored_on_device(site: Site, call: ast.Call) -> bool:
    """Whether a statement such as `x[1:] = torch.tensor(...)` stores this call's result into a tensor on the device."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript):
        return False
    value: ast.expr = statement.value
    while value is not call:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr not in _MOVES:
            value = value.func.value
        else:
            return False
    target = site.value(statement.targets[0].value)
    return target.on_device and target.confidence >= 0.9


def _fix(site: Site, call: ast.Call, made: Creation) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, add_keyword, attempt

    def make() -> Fix:
        if made.factory in LEGACY or made.content not in _SAFETY or not made.exact_after:
            raise Unfixable("the factory takes no device, or what follows may round differently")
        edits = [_removal(site, call)]
        for name, value in _keywords(site, call, made):
            edits.append(add_keyword(site.source, made.call, name, value))
        return Fix("Create the tensor on the device", tuple(sorted(edits)), _SAFETY[made.content])

    return attempt(make)


def _keywords(site: Site, call: ast.Call, made: Creation) -> list[tuple[str, str]]:
    """What the factory must be given so that the move can go. Raises Unfixable where that is not the same."""
    from trainlint.fixing.rewrite import Unfixable

    name = last_name(call.func)
    given = {keyword.arg for keyword in call.keywords}
    if not given <= {"device", "non_blocking"} or len(call.args) > 1:
        raise Unfixable("the move also changes the dtype or the layout")
    target = argument(call, "device", 0)
    if target is None:
        if name == "cuda":
            return [("device", '"cuda"')]
        raise Unfixable("the move names no device")
    source = site.source
    text = source.text[source.offset(target.lineno, target.col_offset) : source.offset(*end_position(target))]
    if name == "type_as" or site.value(target).is_tensor:
        has_dtype = argument(made.call, "dtype") is not None
        if made.factory not in _SET_BY_SIZE or has_dtype or dotted(target) is None:
            raise Unfixable("the move also changes the dtype")
        return [("device", f"{text}.device"), ("dtype", f"{text}.dtype")]
    return [("device", text)]


def _removal(site: Site, call: ast.Call) -> Edit:
    """Take the move away from behind the expression. Raises Unfixable where comments or parentheses stand between."""
    from trainlint.fixing.rewrite import Unfixable

    assert isinstance(call.func, ast.Attribute)
    source = site.source
    start, stop = source.offset(*end_position(call.func.value)), source.offset(*end_position(call))
    text = source.text[start:stop]
    if "#" in text or not _MOVE_TEXT.match(text):
        raise Unfixable("the move cannot be cut out by itself")
    return Edit(start, stop, "")
