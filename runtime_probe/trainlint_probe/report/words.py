"""What the terminal and the page say alike: numbers in words, and verdicts in the order that they matter."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import OUTCOMES, Run
from trainlint.evidence.verdicts import Reference, State, Verdict
from trainlint.finding import Safety
from trainlint.handbook import FIX_FLAGS
from trainlint.report.words import count
from trainlint_probe.judgement.counted import NO_LOADER_TIMES, NOT_SIMULATED
from trainlint_probe.judgement.verdicts import NEEDS_A_GPU, THRESHOLD
from trainlint_probe.result import Ignored, Unjudged
from trainlint_probe.wording.units import some_of

_ORDER = (State.CONFIRMED, State.INCONCLUSIVE, State.UNMEASURED, State.REFUTED, State.NOT_OBSERVED)

ASK_FOR_WORK = (State.CONFIRMED, State.INCONCLUSIVE)
"""What a reader may have work with."""

_MOST_FILES = 5
"""Files that a sentence names. The JSON document has all."""


def by_cost(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What is proved first, then what may cost something, and in each the dearest first."""
    return sorted(verdicts, key=_rank)


@dataclass(frozen=True, slots=True)
class Defect:
    """A verdict as people are told of it: once, with what only the run shows of the same."""

    said: Verdict
    also: tuple[Verdict, ...] = ()


def defects(verdicts: Iterable[Verdict]) -> list[Defect]:
    """The verdicts in their order, but for those that say of another one's line what that one says.

    What several calls of one line do is seen of them together, and told once.
    """
    told: dict[object, Verdict] = {}
    for item in by_cost(verdicts):
        told.setdefault((item.code, item.at, item.state, item.sentence), item)
    ordered = list(told.values())
    there = {Reference(item.code, item.at) for item in ordered}
    also: dict[Reference | None, list[Verdict]] = {}
    for item in ordered:
        also.setdefault(item.same_as if item.same_as in there else None, []).append(item)
    return [Defect(item, tuple(also.pop(Reference(item.code, item.at), ()))) for item in also.pop(None, ())]


def label(state: State) -> str:
    """A state in a word or two."""
    return "cannot be measured" if state is State.UNMEASURED else state.value


def counts(told: Sequence[Defect]) -> str:
    """How many there are of each state: "2 confirmed; 1 refuted"."""
    numbers = [(sum(item.said.state is state for item in told), label(state)) for state in _ORDER]
    return "; ".join(f"{number} {state}" for number, state in numbers if number)


def is_not_told(item: Verdict) -> bool:
    """Whether the device that the run was on tells nothing of what a finding speaks of."""
    return item.sentence in (NEEDS_A_GPU, NO_LOADER_TIMES, NOT_SIMULATED)


def percent(share: Interval | None) -> str:
    """A share as an interval; empty where it is not known."""
    if share is None:
        return ""
    low, high = f"{share.low * 100:.1f}", f"{share.high * 100:.1f}"
    if high == "inf":
        return f"{low}% or more"
    return f"{low}%" if low == high else f"{low}–{high}%"


def capital(text: str) -> str:
    """The text with its first letter raised, as a sentence starts, but for a name of code: "torch.compile"."""
    is_code = any(mark in text.partition(" ")[0].rstrip(".") for mark in "._(")
    return text if is_code else text[:1].upper() + text[1:]


def full(text: str) -> str:
    """The text as a sentence, with a capital and one full stop."""
    return f"{capital(text).rstrip('.')}."


def place_text(line: Line) -> str:
    """Where a line stands; what has no line of its own is of a whole script or trace."""
    return f"{line.path}:{line.line}" if line.line else line.path


def why_no_step(run: Run) -> str:
    """What kept a run from being measured."""
    why = OUTCOMES.get(run.outcome, run.outcome)
    return f"{why}: {run.failure.rstrip('.')}" if run.failure else why


BUSY = 0.1
"""The share of the window that the training waited for a core from which the machine is called busy."""


def busy_sentence(run: Run) -> str:
    """What the reader must know of the machine before any number of the run; empty where nothing is off."""
    share = run.cores.waited if run.cores is not None else None
    if share is None or share < BUSY:
        return ""
    load = run.environment.facts.get("load")
    about = f" (load {load} on {run.environment.facts.get('CPU cores', '?')} cores)" if load else ""
    return (
        f"The machine was busy{about}: the training waited for a CPU core for {share:.0%} of the measured "
        "time. Times are longer than on a quiet machine, and shares may differ."
    )


def _rank(item: Verdict) -> tuple[float, ...]:
    cost = item.cost or Interval(-1.0, -1.0)
    return (_ORDER.index(item.state), -cost.low, -cost.high, -(item.per_step or 0.0))


def why(defect: Defect) -> str:
    """The sentence to read on a defect. Where only the run shows the same, it has the numbers of the whole step."""
    return full((defect.also[0] if defect.also else defect.said).sentence)


def help_text(item: Verdict) -> str:
    """What to do about a defect; of what only the run could see, where that is explained."""
    return f"trainlint explain {item.code}" if item.new else item.help


def fix_command(item: Verdict) -> str:
    """What writes the fix of a verdict, to be copied; empty where there is none, or no need of one."""
    if not item.fix or item.state not in ASK_FOR_WORK:
        return ""
    flag = FIX_FLAGS[Safety[item.fix.upper()]]
    return f"trainlint check --select {item.code} {flag} {shlex.quote(item.at.path)}"


def ignored_sentence(ignored: Ignored) -> str:
    """What the user has silenced; empty where nothing is."""
    parts = [(ignored.by_comments, "comments"), (ignored.by_configuration, "the configuration")]
    said = [f"{count(number, 'finding')} by {who}" for number, who in parts if number]
    return f"ignored: {' and '.join(said)}" if said else ""


def left_out_sentences(left_out: Mapping[str, str]) -> list[str]:
    """What was at work and is not judged; files with one reason in one sentence, and of many the first."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in left_out.items():
        by_reason.setdefault(reason, []).append(path)
    return [f"not judged: {some_of(paths, _MOST_FILES)} ({reason})" for reason, paths in by_reason.items()]


def without_confirmed(verdicts: Sequence[Verdict], unjudged: Unjudged) -> str:
    """What to say where no finding is confirmed, and none may cost what counts; empty where one is. Only where
    everything was judged, it is all there is to say.
    """
    if any(item.state in ASK_FOR_WORK for item in verdicts):
        return ""
    if verdicts:
        said = f"No finding costs this run {THRESHOLD:.0%} or more, as far as the probe could measure"
    else:
        ignored = unjudged.ignored.by_comments + unjudged.ignored.by_configuration
        said = "There is no finding to judge" + (" but what is ignored" if ignored else "")
    if unjudged.failures:
        return f"{said}; not everything could be judged."
    return f"{said}; not every file was judged." if unjudged.left_out else f"{said}."
