"""A rule as data and one question: where to look, when to stay silent, what to say, and `found`.

The engine's part is here, once for all rules: frequency, guards, confidence, messages, and putting fixes together.
What a rule says, and its fix, are the same for rules about places and about operations: `WordedRule`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from trainlint.analysis.conditions.smoke_tests import in_smoke_test
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.contract.confidence import level
from trainlint.contract.guard import Guard
from trainlint.finding import OFTEN, Confidence, Fix, Heat, HeatFact, RelatedPlace, Safety, Severity
from trainlint.rule import BadRule, Rule, Triggers
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone
    from typing import Any, ClassVar

    from trainlint.analysis.site import Site
    from trainlint.finding import Edit, Finding

EACH_STEP: dict[Heat, Confidence] = {Heat.STEP: Confidence.CERTAIN, Heat.INNER: Confidence.CERTAIN}
"""For `when`: code that runs at least once in each training iteration. Other frequencies are added by `|`."""
STAYS_SILENT = "Stays silent"
_RUNS = {
    Heat.STEP: "in every training step",
    Heat.INNER: "in a loop inside a training step",
    Heat.EVAL_STEP: "in every evaluation step",
    Heat.EPOCH: "once an epoch",
    Heat.RARE: "only in some steps (an interval, a first step, a failure, an option)",
    Heat.ONCE: "once",
    Heat.WORKER: "in data-loading workers",
    Heat.UNKNOWN: "at an unknown frequency",
}


_COST_STEPS = frozenset(
    {
        Symptom.HOST_SYNC,
        Symptom.HOST_TO_DEVICE,
        Symptom.COLLECTIVE,
        Symptom.CACHE_EMPTIED,
        Symptom.GRADIENTS_ZEROED,
    }
)
"""What costs each step, at whatever depth of calls it stands."""


def runs_so_often(heat: Heat) -> str:
    """How often code runs, as a clause."""
    return f"this code runs {_RUNS[heat]}"


def as_written(code: str) -> str:
    """Code for a template of `Match`, in which its own braces, as of `"loss{}".format(i)`, begin no field."""
    return code.replace("{", "{{").replace("}", "}}")


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A defect at a place. What is None here is as the rule's class declares it."""

    site: Site
    """The place to report: `site` itself, or `site.at(node)`."""
    sure: Confidence = Confidence.CERTAIN
    """The weakest premise of `found`. The engine adds those of the rule, its frequency and its file."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What the templates name besides `{text}` and `{often}`, and what `edits` needs."""
    message: str | None = None
    """A template, as is `help`. Code in it goes through `fields`, or through `as_written`."""
    help: str | None = None
    severity: Severity | None = None
    fix_safety: Safety | None = None
    fix_needs: tuple[int, int] | None = None
    related: tuple[RelatedPlace, ...] = ()
    """Further places of this defect, nearest first (`site.related`). What a rule about waits finds in a helper gets the
    calls that reach it in each training step besides."""

    def __getitem__(self, name: str) -> Any:
        """One of the fields. Raises KeyError."""
        return self.fields[name]

    def filled(self, template: str, heat: Heat | None = None) -> str:
        """A template with its fields: those of the match, `{text}`, the reported code, and `{often}`.

        `{often}` is empty, or says how often the code runs and begins with a space, as in " in every training step".
        """
        known = {"text": self.site.text(), "often": OFTEN.get(heat or self.site.heat.heat, "")}
        return template.format_map(known | dict(self.fields))


class WordedRule(Rule, base=True):
    """What a rule says of a match, which fix it offers, and when it stays silent."""

    severity = Severity.WARNING
    sure: ClassVar[Confidence] = Confidence.CERTAIN
    """How sure the rule is at best."""
    in_tests: ClassVar[bool] = False
    """Whether findings in tests and benchmarks are as sure as elsewhere. They are at most POSSIBLE otherwise."""
    unless: ClassVar[tuple[Guard, ...]] = ()
    """When to stay silent about a match, besides the guards of the base classes."""
    guards: ClassVar[tuple[Guard, ...]] = ()
    """All of them, those of base classes first. The first one that holds is named by `trainlint why`."""
    message: ClassVar[str]
    """A template: what is the case, as a fact. See `Match.filled`."""
    help: ClassVar[str]
    """A template: what to do about it."""
    fix_title: ClassVar[str] = ""
    """A template: what the fix does. Empty where the rule has no `edits`."""
    fix_needs: ClassVar[tuple[int, int] | None] = None
    """The first PyTorch in which what the fix writes works; None for any."""

    def __init_subclass__(cls, *, base: bool = False, **kwargs: object) -> None:
        """Derive the page's section about silence from what is declared."""
        if not base:
            cls.guards = tuple(
                dict.fromkeys(item for kind in cls.__mro__[::-1] for item in vars(kind).get("unless", ()))
            )
        super().__init_subclass__(base=base, **kwargs)
        if base:
            return
        if cls.manual.section(STAYS_SILENT):
            raise BadRule(
                f"rule {cls.__module__}.{cls.__qualname__}: `## {STAYS_SILENT}` is made of `unless` and `when`"
            )
        if silent := _listed(cls.reasons_for_silence()):
            cls.manual = cls.manual.with_section(STAYS_SILENT, silent, after="Use instead")

    @classmethod
    def reasons_for_silence(cls) -> list[str]:
        """What keeps the rule silent, as clauses."""
        in_tests = "the file is a test or a benchmark (its findings are hidden by default)"
        return [*(item.sentence for item in cls.guards), *(() if cls.in_tests else (in_tests,))]

    def silence(self, site: Site) -> str | None:
        """Why the rule reports nothing at a place, as a clause: the sentence of the first guard that holds.

        None where no guard holds.
        """
        return next((item.sentence for item in self.guards if item.holds(site)), None)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The edits of the fix. Raises `Unfixable`, or returns nothing, where there is no fix."""
        return ()

    def fix(self, site: Site, match: Match) -> Fix | None:
        """The fix of a match, from `edits`. To be overridden only where a fix is already put together elsewhere."""
        from trainlint.analysis.programs.proved_torch import imports_torch
        from trainlint.fixing.rewrite import Unfixable, attempt

        def make() -> Fix:
            edits = tuple(sorted(self.edits(site, match)))
            safety = match.fix_safety or self.fix_safety
            if safety is not None and self._may_be_about_others(site):
                safety = Safety.UNSAFE if imports_torch(site.file) else None
            if not edits or safety is None:
                raise Unfixable
            return Fix(match.filled(self.fix_title), edits, safety)

        return attempt(make) if self.fix_title else None

    def _may_be_about_others(self, site: Site) -> bool:
        """Whether a method or name of the rule may be that of another package, which the file imports, too."""
        from trainlint.analysis.programs.proved_torch import imports_other_framework

        return imports_other_framework(site.file)

    def _fix_in_style(self, site: Site, match: Match) -> Fix | None:
        """The fix in the style of its file; None where it changes an import that other files depend on."""
        fix = self.fix(site, match)
        if fix is None:
            return None
        from trainlint.contract.kept_imports import keeps_imports
        from trainlint.fixing.style import in_style_of_file

        return in_style_of_file(site.source, fix) if keeps_imports(site.file, fix.edits) else None

    def counts_little(self, site: Site, *, costs: bool) -> bool:
        """Whether code tries something out. `costs`: the defect is one of what training steps cost."""
        file, block = site.file, site.block
        if costs and (file.never_updates or site.heat.optional):
            return True
        return not self.in_tests and (is_test_path(site.path) or in_smoke_test(file.outline, block))

    def worded(
        self,
        site: Site,
        match: Match,
        confidence: Confidence,
        related: Iterable[RelatedPlace] = (),
        heat: HeatFact | None = None,
    ) -> Finding:
        """The finding of a match; `heat` is how often it runs, where not the analysis says so."""
        message = self.message if match.message is None else match.message
        instead = self.help if match.help is None else match.help
        often = None if heat is None else heat.heat
        return self.finding(
            match.site,
            match.filled(message, often),
            help=match.filled(instead, often),
            confidence=confidence,
            fix=lambda: self._fix_in_style(site, match),
            fix_needs=match.fix_needs or self.fix_needs,
            severity=match.severity,
            related=tuple(dict.fromkeys((*match.related, *related))),
            heat=heat,
        )


class DeclaredRule(WordedRule, base=True):
    """A rule about places, with one question. The classes in `trainlint.contract.bases` turn `on` into places."""

    on: ClassVar[Iterable[str]] = ()
    """Names of the places that the rule wants to see; each class in `trainlint.contract.bases` says which names."""
    also: ClassVar[Triggers] = Triggers()
    """Places of other kinds."""
    when: ClassVar[Mapping[Heat, Confidence]] = {}
    """How often code must run, and how sure a finding can be there. Empty where frequency does not matter."""
    costs_steps: ClassVar[bool] = False
    """Whether the defect matters only where a training step runs the code, though `when` is empty."""

    def __init_subclass__(cls, *, base: bool = False, **kwargs: object) -> None:
        """Derive `triggers` from what is declared."""
        if not base:
            cls.triggers = replace(cls.places() | cls.also, heats=frozenset(cls.when))
            cls.best_in_tests = cls._best_in_tests()
        super().__init_subclass__(base=base, **kwargs)

    @classmethod
    def places(cls) -> Triggers:
        """The places that `on` names."""
        return Triggers()

    @abstractmethod
    def found(self, site: Site) -> Match | Iterable[Match] | None:
        """What is wrong at a place, whatever the guards say; mostly one match or None."""

    @classmethod
    def _best_in_tests(cls) -> Confidence:
        """The most that `confidence` gives there; anything where a class puts its findings together by itself."""
        own = cls.confidence is not DeclaredRule.confidence or cls.check is not DeclaredRule.check
        return Confidence.CERTAIN if own or cls.in_tests else Confidence.POSSIBLE

    @classmethod
    def reasons_for_silence(cls) -> list[str]:
        """How often the code must run, and the guards."""
        seldom = cls.when and any(heat not in cls.when for heat in _RUNS)
        return [*((_runs_otherwise(cls.when),) if seldom else ()), *super().reasons_for_silence()]

    def _may_be_about_others(self, site: Site) -> bool:
        only_torch = bool(self.on) and all(name.startswith("torch.") for name in self.on)
        return not only_torch and super()._may_be_about_others(site)

    def check(self, site: Site) -> Iterator[Finding]:
        """Report the matches that no guard stops."""
        for answer in self.answers(site):
            if isinstance(answer, Match):
                yield self.worded(site, answer, self.confidence(answer), self._hot_calls(answer))

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """What the rule makes of a place: each match to report, and for each that is not reported, the reason."""
        heat = site.heat.heat if self.when else Heat.UNKNOWN
        if self.when and heat not in self.when:
            yield Guard(runs_so_often(heat), lambda _site: True)
            return
        for early in self.guards:
            if early.before_found and early.holds(site):
                yield early
                return
        found = self.found(site)
        for match in [found] if isinstance(found, Match) else found or ():
            late = (item for item in self.guards if not item.before_found)
            yield next((item for item in late if item.holds(match.site)), match)

    def silence(self, site: Site) -> str | None:
        """The same, with how often the code runs. None where no guard holds: `found` found nothing."""
        reasons = (answer.sentence for answer in self.answers(site) if isinstance(answer, Guard))
        return next(reasons, None)

    def confidence(self, match: Match) -> Confidence:
        """As sure as the weakest premise: the rule, the match, the frequency and the file.

        A finding is POSSIBLE at most in a function that nothing refers to, as that never runs, and in code that tries
        a module out. So is one about what training steps cost, in programs that update no parameters, in runs of few
        steps, in code that only infers, and behind options that are off by default.
        """
        premises = [self.sure, match.sure]
        if self.when:
            heat = match.site.heat
            premises += [self.when.get(heat.heat, Confidence.UNLIKELY), level(heat.confidence)]
        costs = bool(self.when) or self.costs_steps
        if self.counts_little(match.site, costs=costs) or (costs and _only_infers(match.site)):
            premises.append(Confidence.POSSIBLE)
        return min(premises)

    def _hot_calls(self, match: Match) -> tuple[RelatedPlace, ...]:
        """Where a defect runs because of who calls the function around it: these calls."""
        costs = not _COST_STEPS.isdisjoint(self.confirmed_by)
        return match.site.hot_calls if costs and match.site.heat.heat.in_step else ()


def _only_infers(site: Site) -> bool:
    """Whether code of unknown frequency only infers: all its callers have autograd off.

    What switches it off itself may as well update an average of the parameters.
    """
    function, off = site.function, site.file.gradients
    if site.heat.heat is not Heat.UNKNOWN or function is None:
        return False
    return off.function_off(function) and not off.decorated_off(function)


def _listed(items: Iterable[str]) -> str:
    """Clauses as a list in Markdown."""
    listed = ";\n- ".join(items)
    return f"- {listed}." if listed else ""


def _runs_otherwise(when: Mapping[Heat, Confidence]) -> str:
    """That code runs at none of these frequencies, as a clause."""
    named = [words for heat, words in _RUNS.items() if heat in when and heat not in (Heat.INNER, Heat.UNKNOWN)]
    if Heat.INNER not in when and Heat.STEP in when:
        named[0] = f"{named[0]} outside of inner loops"
    often = " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    if Heat.UNKNOWN in when:
        return f"trainlint sees that it does not run {often}"
    return f"it does not run {often}, or trainlint cannot tell how often it runs"
