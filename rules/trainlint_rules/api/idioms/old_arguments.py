"""Arguments that PyTorch has renamed, deprecated or taken away, where a call still gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.versions.deprecated_arguments import ARGUMENTS, OldArgument
from trainlint.analysis.tables.versions.deprecation import Version
from trainlint.finding import Edit, Safety

_TWO_FOR_ONE = {"size_average", "reduce"}
"""Two old arguments that one new one replaces."""
_SECOND_OF_TWO = "reduce"
_MOST_POSITIONAL = 2
"""What a function of torch.nn.functional takes before any argument that has been renamed: its input and its target."""


@dataclass(frozen=True, slots=True, eq=False)
class OldArgumentUse:
    """One old argument of a call."""

    site: Site
    """The call."""
    row: OldArgument
    removed: bool
    """Whether a version that the project targets refuses it."""

    @property
    def fact(self) -> str:
        """What is wrong with it."""
        name, row = self.site.text(self.site.call.func), self.row
        if self.removed and row.removed:
            return f"`{name}` takes no `{row.keyword}` since PyTorch {row.removed[0]}.{row.removed[1]}"
        return f"`{row.keyword}` of `{name}` is deprecated"

    @property
    def instead(self) -> str:
        """What to write."""
        return self.row.advice if self.row.dropped else f"write {self.row.advice}"

    @property
    def title(self) -> str:
        """What the fix does."""
        if self.row.dropped:
            return f"Leave out {self.row.keyword}"
        return "Use the new value" if self.row.renamed == self.row.keyword else f"Use {self.row.renamed}"

    @property
    def needs(self) -> Version | None:
        """The first version in which the fix works; None for any."""
        return self.row.since if self.row.renamed or self.row.young else None

    @property
    def safety(self) -> Safety:
        """SAFE where a literal goes whose loss nobody sees, or gets a name that no other argument stands for."""
        call, row = self.site.call, self.row
        value = constant(next(item.value for item in call.keywords if item.arg == row.keyword))
        if row.dropped:
            works_today = row.removed is not None and not self.site.has(row.removed)
            is_known = value is not ... and not (value is True and works_today)
        else:
            is_function = (self.site.origin(call.func) or "").startswith("torch.nn.functional.")
            is_known = value not in (..., None) and len(call.args) <= (_MOST_POSITIONAL if is_function else 0)
        return Safety.SAFE if is_known else Safety.UNSAFE

    def edits(self) -> Iterator[Edit]:
        """The argument by its new name or with its new value, or none; no edits where that cannot be known."""
        from trainlint.fixing.keywords import remove_arguments, rename_argument
        from trainlint.fixing.rewrite import set_keyword

        source, call, row = self.site.source, self.site.call, self.row
        names = [keyword.arg for keyword in call.keywords]
        index = names.index(row.keyword)
        literal = constant(call.keywords[index].value)
        if row.dropped:
            yield remove_arguments(source, call, row.keyword)
        elif row.renamed and not set(names) >= _TWO_FOR_ONE and (not row.values or literal in row.values):
            value = row.values[literal] if row.values else None
            if row.renamed == row.keyword:
                yield set_keyword(source, call, row.renamed, value or "")
            else:
                yield rename_argument(source, call, len(call.args) + index, row.renamed, value)


def old_arguments(there: Site) -> Iterator[OldArgumentUse]:
    """The arguments of a call, written out, that a version which the project targets deprecates or refuses."""
    origin = there.origin(there.call.func) or ""
    is_one_for_two = {item.arg for item in there.call.keywords} >= _TWO_FOR_ONE
    for row in ARGUMENTS:
        if is_one_for_two and row.keyword == _SECOND_OF_TWO:
            continue  # one `reduction` replaces both: that is one finding
        given = next((item.value for item in there.call.keywords if item.arg == row.keyword), None)
        if given is None or not row.function.fullmatch(origin):
            continue
        removed = row.removed is not None and there.reaches(row.removed)
        matters = row.only_value is ... or constant(given) == row.only_value
        if matters and (removed or there.reaches(row.since)):
            yield OldArgumentUse(there, row, removed)
