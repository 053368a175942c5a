"""The values that a file is told: what callers give its functions, what its calls return, what its bases assign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.project.call_outcomes import returned
from trainlint.analysis.project.carrying import without_access_paths
from trainlint.analysis.project.following import MOST_CALLERS, Follower
from trainlint.analysis.project.known_values import known_value
from trainlint.analysis.project.project_calls import Crossing
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import ClassThing, FunctionThing
from trainlint.analysis.types.access_paths import AccessPath, Start
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import UNKNOWN, Kind, Origin, Value, merge, somewhere

_NOTHING = (Kind.UNKNOWN, Kind.NONE)
"""What a caller gives that says nothing of a parameter."""


@dataclass(eq=False)
class ImportedValues:
    """Answers for the files of one project, once its calls are resolved."""

    summaries: Sequence[Summary]
    follower: Follower
    _known: dict[ClassThing, dict[str, Value]] = field(default_factory=dict)

    def arguments(self, file: int, functions: Iterable[str]) -> Iterator[tuple[tuple[str, str], Value]]:
        """What most callers give to each parameter of some functions of a file."""
        for function in functions:
            for name in self.summaries[file].functions[function].told_by_callers:
                given = self.follower.arguments.get((file, function, name), [])
                if given and len(given) <= MOST_CALLERS:
                    value = _given_by_most(
                        [
                            known_value(self.follower, source, item)
                            for source, item, _, _ in given
                            if (item.access_paths or item.kind not in _NOTHING)
                            and (
                                source != file
                                or all(
                                    not (each.start is Start.PARAMETER and each.of == function and each.name == name)
                                    for each in item.access_paths
                                )
                            )
                        ]
                    )
                    if value.kind is not Kind.UNKNOWN:
                        yield (function, name), value

    def returned(self, file: int, out_of: list[Crossing]) -> Iterator[tuple[str, Value]]:
        """What the calls of a file return that run functions of other files, by the keys of the calls."""
        found: dict[str, list[Value]] = {}
        for crossing in out_of:
            key = self.summaries[file].skeleton.calls[crossing.call].key
            if crossing.how is not Handing.CALLED:
                continue
            if crossing.function.rpartition(".")[2].partition("#")[0] == "__init__":
                made = known_value(self.follower, file, somewhere(AccessPath(Start.CALL, key)))
                if made.kind is Kind.LOADER:  # of all other objects, the file knows as much from their names
                    found.setdefault(key, []).append(made)
            else:
                bound = self.summaries[crossing.target].functions[crossing.function].bound
                function = FunctionThing(crossing.target, crossing.function, bound)
                result = returned(self.follower, function, file, self.summaries[file].calls[crossing.call])
                found.setdefault(key, []).append(known_value(self.follower, crossing.target, result))
        for key, values in found.items():
            value = merge(values)
            if value.kind is not Kind.UNKNOWN:
                yield key, without_access_paths(value)

    def attributes(self, file: int) -> Iterator[tuple[tuple[str, str], Value]]:
        """What bases in other files assign to attributes of the classes of a file."""
        for name in self.summaries[file].classes:
            seen = set(self.summaries[file].classes[name].attributes)
            for base in self.follower.classes.ancestry(file, name)[1:]:
                if base.file != file:
                    for attribute, known in self._attributes_of(base).items():
                        if attribute not in seen:
                            seen.add(attribute)
                            if known.kind is not Kind.UNKNOWN:
                                yield (name, attribute), known

    def _attributes_of(self, base: ClassThing) -> dict[str, Value]:
        """What a class assigns to its attributes, for all that derive from it."""
        if base not in self._known:
            attributes = self.summaries[base.file].classes[base.name].attributes
            self._known[base] = {
                name: known_value(self.follower, base.file, value) for name, value in attributes.items()
            }
        return self._known[base]


def _given_by_most(values: list[Value]) -> Value:
    """What a parameter holds, by what most of its callers give it, as far as that is known."""
    known = [value for value in values if value.kind not in _NOTHING]
    if not known:
        return UNKNOWN
    if any(value.origin is Origin.BATCH for value in known):  # scripts that show results put together what is like one
        known = [value for value in known if not _is_guess(value)]
    counts = Counter(value.kind for value in known)
    kind, count = max(counts.items(), key=lambda item: (item[1], item[0].name))
    return _batch_of_most([value for value in known if value.kind is kind]).at_most(count / len(known))


def _is_guess(value: Value) -> bool:
    """Whether only names say what tensors a value is or holds."""
    held = value.element if value.kind is Kind.CONTAINER and value.element is not None else value
    return held.is_tensor and held.evidence.kind <= Rank.NAMED


def _batch_of_most(values: list[Value]) -> Value:
    """The merged values, as a loader's batch where most callers pass one: a script that exports makes an example."""
    merged = merge(values)
    batches = sum(value.origin is Origin.BATCH for value in values)
    if not merged.is_tensor or merged.origin is not Origin.OTHER or 2 * batches <= len(values):
        return merged
    return merged.with_origin(merged.home, merged.attached, Origin.BATCH)
