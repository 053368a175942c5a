"""Names that are so common that a call by one says nothing of the project's own functions."""

from __future__ import annotations

import sys

from trainlint.analysis.tables.host_reads import TO_HOST

FOREIGN = frozenset(
    "os sys math time random json re collections itertools functools pathlib argparse copy datetime typing shutil "
    "subprocess threading multiprocessing warnings io glob pickle contextlib dataclasses string struct tempfile "
    "torch numpy np scipy torchvision torchaudio transformers datasets accelerate peft trl tokenizers diffusers "
    "tqdm matplotlib PIL cv2 pandas sklearn wandb tensorboard tensorboardX einops timm lightning pytorch_lightning "
    "deepspeed apex omegaconf yaml rich click absl gym gymnasium jax jaxlib tensorflow triton xformers "
    "flash_attn bitsandbytes safetensors huggingface_hub requests setuptools pytest".split()
)
"""Packages that are called so often and so surely no part of a project that their calls are not even noted."""
LIBRARIES = FOREIGN | frozenset(
    "fairseq detectron2 mmcv mmdet mmseg mmengine mmcls mmpretrain open_clip clip segment_anything megatron "
    "longformer pytorch_transformers pytorch_pretrained_bert sentence_transformers torch_geometric dgl espnet monai "
    "nemo lavis".split()
)
"""Packages that projects copy into their own code."""
SOURCE_FOLDERS = ("src", "lib", "python")
"""Where projects keep the packages that they import by their bare names."""
PLAIN_METHODS = TO_HOST | frozenset(
    "cuda detach clone view reshape permute transpose flatten squeeze unsqueeze contiguous "
    "expand expand_as repeat sum mean std var max min argmax argmin abs sqrt pow exp log size dim numel gather "
    "scatter_ scatter fill_ zero_ copy_ masked_fill masked_fill_ softmax log_softmax sigmoid tanh norm mul_ add_ "
    "div_ sub_ mul add div sub matmul bmm float half long int bool double type type_as eq ne gt lt ge le any all "
    "split chunk index_select clamp clamp_ chunk unbind sort topk cumsum round floor ceil data_ptr requires_grad_ "
    "parameters named_parameters state_dict load_state_dict modules named_modules children register_buffer "
    "register_parameter zero_grad backward unscale_ "
    "append extend insert pop remove clear copy count index reverse keys values items get setdefault "
    "popitem update_from format join strip lstrip rstrip lower upper startswith endswith replace splitlines encode "
    "decode rsplit partition rpartition title isdigit group match search findall read write readline readlines close "
    "flush seek exists is_dir is_file mkdir open info debug warning error exception add_argument parse_args "
    "add_parser set_defaults is_alive acquire release put t".split()
)
"""Methods of tensors, containers, strings and files: calls of these are no calls of the project's own methods."""


def is_library(package: str) -> bool:
    """Whether a package of this name that is not in sight is a library's, or Python's own."""
    return package in LIBRARIES or package in sys.stdlib_module_names
