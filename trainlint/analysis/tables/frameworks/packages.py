"""Packages of other frameworks of deep learning, and packages that come with PyTorch."""

from __future__ import annotations

import re

from trainlint.patterns import lazy

OTHERS = frozenset(
    "mxnet gluoncv gluonnlp jax flax haiku optax equinox tensorflow keras tensorflow_addons paddle paddlenlp mindspore "
    "chainer mlx tinygrad theano oneflow jittor megengine onnxruntime openvino".split()
)
"""Their tensors and optimizers have methods of the same names as PyTorch's."""
ARRAYS = frozenset("numpy pandas scipy sklearn cupy polars xgboost lightgbm catboost statsmodels onnx".split())
"""Packages whose objects have some methods of the same names, and which much code uses beside PyTorch."""
WITH_TORCH = frozenset(
    "lightning lightning_fabric accelerate transformers timm fastai fastcore ignite deepspeed composer catalyst "
    "diffusers trl peft setfit sentence_transformers fairseq fairseq2 fairscale speechbrain detectron2 fvcore allennlp "
    "basicsr classy_vision colossalai espnet2 lavis nerfstudio pcdet ultralytics apex horovod xformers flash_attn "
    "transformer_engine bitsandbytes webdataset dgl monai intel_extension_for_pytorch megatron "
    # Those of OpenMMLab.
    "mmcv mmengine mmdet mmdet3d mmseg mmcls mmpretrain mmpose mmaction mmocr mmtrack mmrotate mmedit mmagic mmyolo "
    "mmselfsup mmrazor mmflow mmgen mmdeploy".split()
)
"""Packages that are built on PyTorch, besides those whose names begin with its name: frameworks that train, and what
trains with them. Each framework that another table knows stands here, as the gate lets files that import it through."""
_IMPORT = lazy(
    rb"^[ \t]*(?:from|import(?:[ \t][^\n#]*,)?)[ \t]+(?:%s)\b"
    % b"|".join(name.encode() for name in sorted(WITH_TORCH)),
    re.MULTILINE,
)


def brings_torch(package: str) -> bool:
    """Whether a top-level package is PyTorch, or works with PyTorch's objects."""
    return package.startswith(("torch", "pytorch")) or package in WITH_TORCH


def imports_with_torch(data: bytes) -> bool:
    """Whether a line of a file's bytes reads like the import of a package that is built on PyTorch."""
    return _IMPORT.search(data) is not None
