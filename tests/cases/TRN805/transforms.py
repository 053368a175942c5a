"""Per-sample gradients and ensembles, written for functorch."""

import functorch
import torch
from functorch import combine_state_for_ensemble, make_functional_with_buffers
from functorch import jacrev as jacobian


def ensemble(models, inputs):
    function, parameters, buffers = combine_state_for_ensemble(models)  #! TRN805
    return functorch.vmap(function)(parameters, buffers, inputs)  #! TRN805


def per_sample(model, loss, inputs, targets):
    function, parameters, buffers = make_functional_with_buffers(model)  #! TRN805

    def of_one(parameters, buffers, sample, target):
        return loss(function(parameters, buffers, sample[None]), target[None])

    return functorch.vmap(functorch.grad(of_one), (None, None, 0, 0))(  #! TRN805
        parameters, buffers, inputs, targets
    )


def sensitivities(function, x):
    return jacobian(function)(x).norm()  #! TRN805


print(torch.__version__)
