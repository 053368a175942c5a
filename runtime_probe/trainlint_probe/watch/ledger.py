"""What each line did: counted while the script runs, and taken out for the window."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FrameType

from trainlint.evidence.places import Line
from trainlint.evidence.run import Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.lines import Lines, display_path


class Kind:
    """A sort of call: "Tensor.item", which is a host sync. Compared by identity."""

    __slots__ = ("name", "symptom")

    def __init__(self, name: str, symptom: Symptom) -> None:
        self.name = name
        self.symptom = symptom


class Site:
    """One line making one sort of call on one sort of device. Counters only ever grow."""

    __slots__ = ("calls", "details", "device", "fastest", "kind", "line", "nanoseconds", "path", "via")

    def __init__(self, path: str, line: int, via: str, kind: Kind, device: str) -> None:
        self.path = path
        self.line = line
        self.via = via
        """The library's line that makes the call, where one does."""
        self.kind = kind
        self.device = device
        self.calls = 0
        self.nanoseconds = 0
        self.fastest: int | None = None
        """Nanoseconds of the fastest call, where each is timed by itself."""
        self.details: dict[str, str] = {"via": via} if via else {}


Reading = Mapping[Site, tuple[int, int]]
"""Each site's calls and nanoseconds at one moment."""
KnownPlaces = dict[tuple[int, int], Site]
"""The identity of a frame's code, and the place in it → the site of a call."""


class Ledger:
    """All sites of a process."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.sites: dict[tuple[str, int, str, Kind, str], Site] = {}
        self.nowhere = Site("", 0, "", Kind("", Symptom.RAN), "")
        """Takes what no user's line is behind, or is of no interest: its calls are part of what watching costs."""
        self._kept: list[CodeType] = []
        """Code that is known by its identity, which must not become another's."""

    def site(self, kind: Kind, device: str, frame: FrameType) -> Site:
        """The site of a call that a frame makes."""
        caller = self.lines.caller(frame)
        if caller is None:
            return self.nowhere
        key = (*caller, kind, device)
        site = self.sites.get(key)
        if site is None:
            site = self.sites[key] = Site(*key)
        return site

    def found(self, known: KnownPlaces, kind: Kind, device: str, frame: FrameType) -> Site:
        """The site of a call, remembered in `known` where the frame is the user's own: to find it there is quick."""
        site = self.site(kind, device, frame)
        if site is not self.nowhere and not site.via and self.lines.is_users(frame.f_code.co_filename):
            known[id(frame.f_code), frame.f_lasti] = site
            self._kept.append(frame.f_code)
        return site

    def read(self) -> Reading:
        """The counters now. Other threads may add sites meanwhile, hence the copy."""
        return {site: (site.calls, site.nanoseconds) for site in [self.nowhere, *self.sites.values()]}

    def between(self, first: Reading, last: Reading, directory: str) -> tuple[Seen, ...]:
        """What the lines did between two readings, those that took most time first."""
        seen = []
        for site, (calls, nanoseconds) in last.items():
            before_calls, before = first.get(site, (0, 0))
            if calls == before_calls or not site.path:
                continue
            seen.append(
                Seen(
                    at=Line(display_path(site.path, directory), site.line),
                    symptom=site.kind.symptom,
                    what=site.kind.name,
                    calls=calls - before_calls,
                    host_ms=(nanoseconds - before) / 1e6,
                    fastest_ms=None if site.fastest is None else site.fastest / 1e6,
                    direct=not site.via,
                    device=site.device,
                    details=dict(site.details),
                )
            )
        return tuple(sorted(seen, key=lambda item: (-(item.host_ms or 0.0), item.at, item.what)))
