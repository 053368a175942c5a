"""The contract of a rule: what it declares, what its page holds, what it is asked.

A rule asks the model and yields findings. It stores nothing, prints nothing, edits nothing.
Its docstring is its page, and the page is its first test.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from trainlint.finding import Confidence, Finding, Fix, Heat, RelatedPlace, Safety, Severity
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: a run over one file is to end at once
    import ast
    from typing import ClassVar, Literal, TypeAlias

    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Place
    from trainlint.finding import HeatFact
    from trainlint.interpreter.machine.events import Happening
    from trainlint.interpreter.operations import Operation
    from trainlint.symptoms import Symptom

    EditorTag: TypeAlias = Literal["", "deprecated", "unnecessary"]

IN_STEP = frozenset({Heat.STEP, Heat.INNER})
"""For triggers: code that runs at least once in each training iteration."""
_CODE = lazy(r"[A-Z]{2,8}\d{3}")
_NAME = lazy(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_HEADING = lazy(r"^## (.+)$", re.MULTILINE)
_CODE_BLOCK = lazy(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REQUIRED = ("Why", "Example", "Use instead", "Confirmed by", "References")
_ALLOWED = frozenset((*_REQUIRED, "Stays silent", "Fix safety", "Gain"))


class BadRule(TypeError):
    """A rule class that breaks the contract. The message names the class and what is wrong."""


@dataclass(frozen=True, slots=True)
class Manual:
    """A rule's page, read from its docstring."""

    summary: str
    """The first line: what the rule flags, without a full stop."""
    introduction: str
    """What stands between the summary and the first heading, as Markdown; may be empty."""
    sections: tuple[tuple[str, str], ...]
    """Heading and Markdown body, in the order in which they are written."""

    def with_section(self, heading: str, body: str, *, after: str) -> Manual:
        """The page with one more section after another one."""
        place = [title for title, _ in self.sections].index(after) + 1
        return replace(self, sections=(*self.sections[:place], (heading, body), *self.sections[place:]))

    def section(self, heading: str) -> str:
        """The body under a heading, or an empty string."""
        return dict(self.sections).get(heading, "")

    @property
    def example(self) -> str:
        """The Python code that the rule finds."""
        return _first_code_block(self.section("Example"))

    @property
    def cure(self) -> str:
        """The Python code that is clean, and that a fix of the example gives byte for byte."""
        return _first_code_block(self.section("Use instead"))


@dataclass(frozen=True, slots=True)
class Triggers:
    """Where a rule wants to look. The engine asks it about these places and no others."""

    calls: frozenset[str] = frozenset()
    """Calls whose last name is one of these: "item" for `x.item()`, "DataLoader" for `data.DataLoader(...)`."""
    callees: frozenset[str] = frozenset()
    """Of these calls only those of one of these names, in the notation of `trainlint.contract.bases.CallRule`. Empty
    for all of them."""
    references: tuple[str, ...] = ()
    """Uses of an imported name below one of these dotted prefixes, such as "torch.cuda.amp"."""
    subscripts: bool = False
    """Indexing by anything but a constant."""
    accumulations: bool = False
    """`total += x` and `total = total + x`."""
    loops: bool = False
    """Every `for` and `while`."""
    dicts: frozenset[str] = frozenset()
    """Dicts that are written out and hold one of these keys, in scripts and in files of settings; once for each key."""
    assignments: frozenset[str] = frozenset()
    """Stores to an attribute or a subscript key with this last name, as in `os.environ["X"] = ...`."""
    words: frozenset[str] = frozenset()
    """What a file must hold for the rule to be asked which places it wants to see (`Rule.places_in`): one of these
    words, or all words of an entry of several."""
    heats: frozenset[Heat] = frozenset()
    """How often code must run for the rule to see it; empty where any may count. The rule may still ask for more, and
    says at its places elsewhere, too, that they run too seldom: `trainlint why` asks it about all of them."""

    def __or__(self, other: Triggers) -> Triggers:
        """The places of both."""
        both = {}
        for name in self.__match_args__:
            mine, theirs = getattr(self, name), getattr(other, name)
            both[name] = mine + theirs if isinstance(mine, tuple) else mine | theirs
        return Triggers(**both)


class Rule(ABC):
    """A pattern that costs. Subclass it in a file of its own below a rule pack; no list needs an edit."""

    code: ClassVar[str]
    """The prefix of the pack and three digits, as in "TRN201"."""
    name: ClassVar[str]
    """The pattern, not the cure; reads as "allow item-in-training-step"."""
    severity: ClassVar[Severity]
    triggers: ClassVar[Triggers]
    fix_safety: ClassVar[Safety | None] = None
    """The level of the fix that the rule usually offers; None where the rule is advice in words."""
    preview: ClassVar[bool] = False
    """Off unless `--preview`: not yet measured precise on real code."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Codes of other linters whose old ignore comments silence this rule too."""
    confirmed_by: ClassVar[frozenset[Symptom]] = frozenset()
    """What the pattern shows itself by in a run at its line: what the probe measures to confirm or refute a finding.
    Empty where the probe cannot."""
    confirmed_in_part: ClassVar[bool] = False
    """Whether only a part of what the probe measures at the line could be gained, and it is not known which."""
    warned_as: ClassVar[str] = ""
    """A regular expression for what PyTorch's warning says, where `confirmed_by` is a warning."""
    best_in_tests: ClassVar[Confidence] = Confidence.CERTAIN
    """How sure a finding in a test or a benchmark is at best: the engine does not ask for what it would not show."""
    happenings: ClassVar[frozenset[Happening] | None] = None
    """Of the operations that the abstract run executes in training steps, and of the loaders that it makes at any time,
    those that the rule is asked about (`check_operation`) in place of what `on` names. None where the run does not know
    what the rule looks for."""
    editor_tag: ClassVar[EditorTag] = ""
    """How editors draw the code of a finding besides underlining it: "deprecated" code is struck through, "unnecessary"
    code, which does nothing, is faded out."""
    of_engine: ClassVar[bool] = False
    """Whether the engine itself finds what there is to find, so that the rule is asked about no place."""
    of_run: ClassVar[bool] = False
    """Whether only a run shows what there is to find: the probe finds it, and `trainlint check` never runs the rule."""
    manual: ClassVar[Manual]
    """The rule's page."""
    summary: ClassVar[str]
    """The first line of the page."""
    module: ClassVar[str]
    """Where the class is written."""

    def __init_subclass__(cls, *, base: bool = False, **kwargs: object) -> None:
        """Refuse a rule with a bad code or name, or a page that lacks a section.

        `base=True` marks a class that rules derive from and that is none itself.
        """
        super().__init_subclass__(**kwargs)
        if not base and not _is_abstract(cls):
            page = _unindented(cls.__doc__ or "")
            _require(cls, page)
            cls.manual = parse_manual(page)
            cls.summary = cls.manual.summary
            cls.module = cls.__module__

    @classmethod
    def loaded(cls) -> type[Rule]:
        """The class itself: entries of the catalogue, which stand for classes, import theirs now."""
        return cls

    @classmethod
    def places_in(cls, file: SemanticModel) -> Iterator[Place]:
        """Places that the rule itself finds in a file, once it holds the `words` of the triggers."""
        yield from ()

    @abstractmethod
    def check(self, site: Site) -> Iterator[Finding]:
        """Yield a finding for each defect at one place that the rule's triggers named."""

    def check_operation(self, site: Site, operation: Operation) -> Iterator[Finding]:
        """Yield a finding for an operation of one of the `happenings`, if it is a defect of this rule."""
        yield from ()

    def finding(
        self,
        site: Site,
        message: str,
        *,
        help: str = "",
        at: ast.AST | None = None,
        confidence: Confidence = Confidence.CERTAIN,
        fix: Fix | Callable[[], Fix | None] | None = None,
        fix_needs: tuple[int, int] | None = None,
        severity: Severity | None = None,
        related: tuple[RelatedPlace, ...] = (),
        heat: HeatFact | None = None,
    ) -> Finding:
        """A finding of this rule at `at`, or at the site's own node, with a heat and its chain: by default the site's.

        Where a comment gives a reason for the line, the finding is at most POSSIBLE, and there is no fix; nor is there
        one that rewrites another line with such a comment (`trainlint.analysis.comments.reasons`).
        There is no fix in code that no program in sight runs (`Site.is_run_by_nobody`), and none but an UNSAFE one in a
        copy of a library of others, which is theirs to change. A `fix` that is still to be made is made
        now, but not for a finding that is too unsure to be shown: that takes as long as all else.
        `fix_needs` is the first PyTorch in which what the fix writes works as the fix promises; None where that is any.
        Where the project does not state that it runs that version or a newer one, the fix is UNSAFE and its title names
        the version; where it states only older ones, there is none.
        """
        # Imported here: most files have no finding.
        from trainlint.analysis.comments.reasons import is_explained

        heat, span = heat or site.heat, site.span(at)
        if is_explained(site.file, span.start_line):
            confidence, fix = min(confidence, Confidence.POSSIBLE), None
            help = f"{help}; a comment gives a reason for this line, so it may be right as it is"
        if fix is not None and site.is_run_by_nobody:
            fix = None
        if callable(fix):
            fix = fix() if confidence >= site.file.config.min_confidence else None
        if fix is not None and _rewrites_explained_lines(site, fix):
            fix = None
        if fix is not None and site.file.outside.standing.copied:
            fix = replace(fix, safety=Safety.UNSAFE)
        if fix_needs is not None:
            # Imported here: few findings depend on a version.
            from trainlint.analysis.tables.versions.needed_versions import for_target

            fix, help = for_target(fix, help, fix_needs, site.file.config.target_torch)
        return Finding(
            code=self.code,
            name=self.name,
            path=site.path,
            span=span,
            message=message,
            help=help,
            severity=self.severity if severity is None else severity,
            heat=heat.heat,
            confidence=confidence,
            chain=heat.chain,
            fix=fix,
            related=related,
        )


def _rewrites_explained_lines(site: Site, fix: Fix) -> bool:
    """Whether a fix replaces code on a line for which a comment gives a reason."""
    from trainlint.analysis.comments.reasons import is_explained

    replaced = (edit.start for edit in fix.edits if edit.stop > edit.start)
    return any(is_explained(site.file, site.source.position(start)[0]) for start in replaced)


class EngineRule(Rule, base=True):
    """A rule that the engine itself applies, to bytes or comments: it has a page, and no site to be asked about."""

    triggers = Triggers()
    of_engine = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Yield nothing: what there is to find is found outside of sites."""
        yield from ()


class RuntimeRule(EngineRule, base=True):
    """What only a run of the training can show: the probe finds it, and `trainlint check` never does.

    It has a page like any other. The probe knows it by its name.
    """

    of_run = True


def _is_abstract(cls: type) -> bool:
    """As `inspect.isabstract`, whose module takes 5 ms to import; `abc` notes what is abstract only after this."""
    names = {*vars(cls), *(name for base in cls.__bases__ for name in getattr(base, "__abstractmethods__", ()))}
    return any(getattr(getattr(cls, name, None), "__isabstractmethod__", False) for name in names)


def _unindented(docstring: str) -> str:
    """As `inspect.cleandoc`."""
    first, *others = docstring.expandtabs().splitlines() or [""]
    margin = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in others)]).strip("\n")


def _require(cls: type[Rule], page: str) -> None:
    name, code = getattr(cls, "name", ""), getattr(cls, "code", "")
    headings = _HEADING.findall(page)
    wants_safety = getattr(cls, "fix_safety", None) in (Safety.NUMERICS, Safety.UNSAFE)
    checks = [
        *(
            (hasattr(cls, attribute), f"it has no `{attribute}`")
            for attribute in ("code", "name", "severity", "triggers")
        ),
        (_CODE.fullmatch(code), "its code is not a prefix and three digits, as in TRN201"),
        (_NAME.fullmatch(name), "its name is not a pattern in kebab case, as in item-in-training-step"),
        (page, "it has no docstring, which is its page"),
        *((heading in headings, f"its page lacks the section `## {heading}`") for heading in _REQUIRED),
        *((heading in _ALLOWED, f"its page has the unknown section `## {heading}`") for heading in headings),
        (
            wants_safety == ("Fix safety" in headings),
            "`## Fix safety` stands on the page if, and only if, the fix is not SAFE",
        ),
    ]
    problems = [message for holds, message in checks if not holds]
    if problems:
        raise BadRule(f"rule {cls.__module__}.{cls.__qualname__}: " + "; ".join(problems))


def parse_manual(page: str) -> Manual:
    """Read a rule's page from its class docstring, which has lost its indent."""
    head, *rest = _HEADING.split(page)
    summary, _, introduction = head.strip().partition("\n")
    sections = tuple(zip(rest[::2], (body.strip() for body in rest[1::2]), strict=True))
    return Manual(summary.rstrip("."), introduction.strip(), sections)


def _first_code_block(markdown: str) -> str:
    match = _CODE_BLOCK.search(markdown)
    return match.group(1) if match else ""
