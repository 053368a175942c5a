"""TRN805."""

from __future__ import annotations

from trainlint.finding import Safety
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName


class FunctorchNamespace(DeprecatedName):
    """Function transforms by the name `functorch`, which became `torch.func` in PyTorch 2.0

    ## Why
    The package `functorch` is part of PyTorch since 1.13 and is called `torch.func` since 2.0. The old name is kept as
    a shell whose functions hand over to the new ones, raise a FutureWarning at each use, and will go.

    ## Example
    ```python
    from functorch import grad, vmap


    def gradients_of_samples(loss, parameters, inputs, targets):
        return vmap(grad(loss), in_dims=(None, 0, 0))(parameters, inputs, targets)
    ```

    ## Use instead
    ```python
    from torch.func import grad, vmap


    def gradients_of_samples(loss, parameters, inputs, targets):
        return vmap(grad(loss), in_dims=(None, 0, 0))(parameters, inputs, targets)
    ```

    `make_functional` has no counterpart of the same shape: `torch.func.functional_call(model, parameters, inputs)`
    takes the module itself, and `torch.func.stack_module_state` replaces `combine_state_for_ensemble`.

    ## Fix safety
    The functions of `torch.func` are other objects than those of `functorch`, and what others
    import from this file changes with it.

    ## Confirmed by
    `trainlint probe` notes PyTorch's FutureWarning at this line, which names `functorch`.

    ## Gain
    None in speed: a line less in the log of every process, and a program that outlives the old name.

    ## References
    - Migrating from functorch to torch.func: https://docs.pytorch.org/docs/stable/func.migrating.html
    """

    code = "TRN805"
    name = "functorch-namespace"
    aliases = ("TOR101", "TOR103")
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "functorch"
    fix_safety = Safety.UNSAFE
