"""The new package, what stayed in functorch, and code for two versions."""

import torch
from functorch.compile import aot_function, nop
from functorch.experimental import control_flow
from torch.func import functional_call, stack_module_state

try:
    from torch.func import grad, vmap
except ImportError:
    from functorch import grad, vmap


def ensemble(models, base, inputs):
    parameters, buffers = stack_module_state(models)
    return torch.vmap(lambda p, b, x: functional_call(base, (p, b), (x,)))(parameters, buffers, inputs)


def traced(function):
    return aot_function(function, fw_compiler=nop), control_flow.cond


def gradients(loss, weights, inputs):
    return vmap(grad(loss), in_dims=(None, 0))(weights, inputs)
