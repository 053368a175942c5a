"""Guards about the way from the top level of a program to a place."""

from __future__ import annotations

from dataclasses import replace

from trainlint.contract.guards.programs import out_of_sight

way_out_of_sight = replace(out_of_sight, sentence="trainlint does not see every call on the way to it")
