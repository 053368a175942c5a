"""How training code imports and uses apex.amp, and what of apex is fine."""

import apex
import apex.amp as mixed
from apex import amp
from apex.normalization import FusedLayerNorm
from apex.optimizers import FusedAdam

try:
    from apex import amp as optional  #! TRN817
except ImportError:
    optional = None


def build(model):
    optimizer = FusedAdam(model.parameters())
    return amp.initialize(model, optimizer, opt_level="O2")  #! TRN817


def step(loss, optimizer, model, use_apex):
    if use_apex:
        with mixed.scale_loss(loss, optimizer) as scaled:  #! TRN817
            scaled.backward()
        parameters = apex.amp.master_params(optimizer)
    else:
        loss.backward()
        parameters = model.parameters()
    return parameters, FusedLayerNorm(8)


def own(amp):
    return amp.initialize()
