"""Packages of other frameworks of deep learning, and packages that come with PyTorch."""

from __future__ import annotations

OTHERS = frozenset(
    "mxnet gluoncv gluonnlp jax flax haiku optax equinox tensorflow keras tensorflow_addons paddle paddlenlp mindspore "
    "chainer mlx tinygrad theano oneflow jittor megengine onnxruntime openvino".split()
)
"""Their tensors and optimizers have methods of the same names as PyTorch's."""
ARRAYS = frozenset("numpy pandas scipy sklearn cupy polars xgboost lightgbm catboost statsmodels onnx".split())
"""Packages whose objects have some methods of the same names, and which much code uses beside PyTorch."""
_WITH_TORCH = frozenset(
    "lightning accelerate transformers timm fastai ignite deepspeed composer catalyst mmcv mmengine detectron2 "
    "diffusers trl peft sentence_transformers fairseq speechbrain".split()
)


def brings_torch(package: str) -> bool:
    """Whether a top-level package is PyTorch, or works with PyTorch's objects."""
    return package.startswith(("torch", "pytorch")) or package in _WITH_TORCH
