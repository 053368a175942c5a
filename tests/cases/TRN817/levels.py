"""Levels of apex other than O1."""

from apex import amp


def plain(model, optimizer):
    return amp.initialize(model, optimizer, opt_level="O0")  #! TRN817


def pure(model, optimizer):
    return amp.initialize(model, optimizer, "O3")  #! TRN817
