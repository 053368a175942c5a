"""Which loaders reach a place from all its callers.

A value that may be one of too many things is known as none of them. A loop goes through each loader that it is given,
so here their number does not matter: each script of a project may give the same engine a loader of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.things import LoaderThing
from trainlint.analysis.types.access_paths import AccessPath, Start

_MOST = 300
"""How many access paths one question may follow in all."""
_Located = tuple[int, AccessPath]
"""An access path and the file whose names these are."""


def loaders_reaching(follower: Follower, file: int, access_paths: Iterable[AccessPath]) -> tuple[LoaderThing, ...]:
    """The loaders that access paths of a file lead to, also through parameters and attributes with many callers."""
    found: dict[LoaderThing, None] = {}
    seen: set[_Located] = set()
    waiting = deque((file, path) for path in access_paths)
    while waiting and len(seen) < _MOST:
        place = waiting.popleft()
        if place in seen:
            continue
        seen.add(place)
        sources = list(_sources(follower, *place))
        waiting.extend(sources)
        if not sources:
            things = follower.follow(place[0], (place[1],))
            found |= dict.fromkeys(thing for thing in things if isinstance(thing, LoaderThing))
    return tuple(found)


def _sources(follower: Follower, file: int, path: AccessPath) -> Iterator[_Located]:
    """Where a parameter, or an attribute of `self`, takes its value from; nothing for what is neither."""
    if path.file >= 0:
        file, path = path.file, path.of_file(-1)
    if path.start is Start.PARAMETER and not path.path:
        for passed in follower.arguments.get((file, path.of, path.name), ()):
            yield from ((passed.file, each) for each in passed.value.access_paths)
    elif path.start is Start.INSTANCE and len(path.path) == 1 and isinstance(path.path[0], str):
        for cls in follower.classes.ancestry(file, path.of):
            value = follower.summaries[cls.file].classes[cls.name].attributes.get(path.path[0])
            if value is not None:
                yield from ((cls.file, each) for each in value.access_paths)
                return
