"""The kinds of rules, by what they look at. Each turns the names of `on` into places; a rule answers `found`.

What fits none of them derives from `DeclaredRule` and names its places in `also`.
"""

from __future__ import annotations

from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.contract.guards.programs import out_of_sight, owned_by_framework
from trainlint.rule import Triggers

TYPE_CHECKING = False
if TYPE_CHECKING:  # each class imports what it needs: most files need few kinds of rules
    from typing import ClassVar

    from trainlint.analysis.site import Site
    from trainlint.contract.guard import Guard


class CallRule(DeclaredRule, base=True):
    """About calls. `site.call` is the call, `site.receiver` what a method is called on.

    A name in `on` is one of
    - "torch.load": what is imported from there, by whatever name;
    - "torch.nn.*.Linear": what is imported from "torch.nn" or any module below it;
    - ".item": a method, of anything;
    - "DataLoader": anything that is called or imported by this name.
    """

    @classmethod
    def places(cls) -> Triggers:
        """Calls by the last names, in this file or where they are imported, handed out where they are meant."""
        return Triggers(calls=frozenset(name.rpartition(".")[2] for name in cls.on), callees=frozenset(cls.on))


class ReferenceRule(DeclaredRule, base=True):
    """About names. `on` are dotted prefixes, as "torch.cuda.amp"; `site.node` is an expression or an import."""

    @classmethod
    def places(cls) -> Triggers:
        """Imports and uses of the names and of all below them."""
        return Triggers(references=tuple(cls.on))


class SettingRule(DeclaredRule, base=True):
    """About settings that are written out, in a script or in a file of JSON or YAML; `site.settings` reads them.

    `on` are keys by which such a dict is known.
    """

    @classmethod
    def places(cls) -> Triggers:
        """Dicts with one of the keys."""
        return Triggers(dicts=frozenset(cls.on))


class LoopRule(DeclaredRule, base=True):
    """About loops, comprehensions included; `site.loop` is the loop's block."""

    @classmethod
    def places(cls) -> Triggers:
        """All loops."""
        return Triggers(loops=True)


class AbsenceRule(LoopRule, base=True):
    """About something that is missing around a training loop on CUDA, where the whole way into the loop is in sight."""

    unless: ClassVar[tuple[Guard, ...]] = (out_of_sight, owned_by_framework)
    networks: ClassVar[frozenset[str]] = frozenset()
    """The layers of which the network must have one (details of `FactKind.NETWORK`); empty for any network."""

    def found(self, site: Site) -> Match | None:
        """The first forward pass of a training loop. What is not missing is told by guards: `uses(...)`."""
        from trainlint.analysis.programs.proof_of_absence import way_into_training
        from trainlint.analysis.tables.fact_kinds import FactKind

        way = way_into_training(site)
        if way is None or (self.networks and not way.details(FactKind.NETWORK) & self.networks):
            return None
        return Match(site.at(way.shown_at(site.file), way.loop))
