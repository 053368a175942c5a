"""Something else makes the units."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import enable_wrap, wrap

from parallel import apply_fsdp_to_blocks


def by_a_context(make):
    with enable_wrap(wrapper_cls=FSDP):
        model = wrap(make())
    return FSDP(model)


def by_a_function(model, mesh):
    apply_fsdp_to_blocks(model, mesh)
    return FSDP(model, device_mesh=mesh)


def given(model, mesh):
    return FSDP(model, device_mesh=mesh)
