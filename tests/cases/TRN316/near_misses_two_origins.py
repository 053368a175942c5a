"""A name that may mean the function."""

try:
    from megatron.core.tensor_parallel import checkpoint
except ImportError:
    from torch.utils import checkpoint

    checkpoint = checkpoint.checkpoint


def encode(layers, hidden):
    for layer in layers:
        hidden = checkpoint(layer, hidden)
    return hidden
