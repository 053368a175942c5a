"""Words by which a file shows that it may load weights that were saved before, by itself or through a framework."""

from __future__ import annotations

LOADING_WEIGHTS = tuple(
    b"load_state_dict from_pretrained torch.load( load_from_checkpoint load_checkpoint load_pretrained load_weights "
    b"load_model resume_from_checkpoint restore_from ckpt_path pretrained safetensors".split()
)
"""Wide on purpose: a project of which no file holds one of these starts each training anew."""
