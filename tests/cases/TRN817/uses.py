"""How training code imports and uses apex.amp, and what of apex is fine."""

import apex
from apex import amp
from apex.optimizers import FusedAdam

try:
    from apex import amp as optional  #! TRN817
except ImportError:
    optional = None


def build(model):
    optimizer = FusedAdam(model.parameters())
    return amp.initialize(model, optimizer, opt_level="O2")  #! TRN817


def own(amp):
    return amp.initialize()
