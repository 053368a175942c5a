"""Guards about the way from the top level of a program to a place."""

from __future__ import annotations

from dataclasses import replace

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guards.programs import out_of_sight, uses

way_out_of_sight = replace(out_of_sight, sentence="a part of the way to it is out of sight")
framework_in_charge = uses("a framework is in charge on the way to it", FactKind.FRAMEWORK)
