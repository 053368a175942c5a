"""What does a file use somewhere?"""

from __future__ import annotations

import ast
import textwrap

import pytest

from trainlint.analysis.programs.facts import uses_of
from trainlint.analysis.syntax.walk import outline

IMPORTS = """
import accelerate
import apex
import deepspeed
import lightning as L
import re
import timm
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.utils.checkpoint as cp
from apex import amp as apex_amp
from functools import partial
from ignite.engine import Engine
from mmengine.runner import Runner
from torch import autocast
from torch.backends import cudnn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModel, Seq2SeqTrainer, TrainingArguments
from trl import SFTConfig, SFTTrainer
"""


def kinds(code: str) -> set[str]:
    found = uses_of(outline(ast.parse(IMPORTS + textwrap.dedent(code))))
    return {f"{use.kind.value} {use.detail}".strip() for use in found}


USES = {
    # Mixed precision
    "with autocast('cuda', dtype=torch.bfloat16): pass": {"autocast"},
    "with torch.cuda.amp.autocast(): pass": {"autocast"},
    "amp_autocast = partial(torch.amp.autocast, 'cuda')": {"autocast"},
    "context = torch.autocast if amp else nullcontext": {"autocast"},
    "with accelerator.autocast(): pass": {"autocast"},
    "with self.fabric.autocast(): pass": {"autocast"},
    "model, optimizer = apex_amp.initialize(model, optimizer)": {"autocast"},
    "with apex_amp.scale_loss(loss, optimizer) as scaled: pass": {"autocast", "grad-scaler"},
    "L.Trainer(precision='bf16-mixed')": {"autocast", "framework lightning"},
    "L.Trainer(precision=32)": {"framework lightning"},
    "L.Trainer(precision='32-true')": {"framework lightning"},
    "TrainingArguments(fp16=True)": {"autocast"},
    "SFTConfig(bf16=args.bf16, fp16=False)": {"autocast"},
    "accelerate.Accelerator(mixed_precision=args.precision)": {"autocast", "framework accelerate"},
    "accelerate.Accelerator(mixed_precision='no')": {"framework accelerate"},
    "fully_shard(model, mp_policy=policy)": {"autocast", "fsdp fsdp", "distributed fsdp"},
    "policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)": {"autocast"},
    "policy = MixedPrecisionPolicy(param_dtype=torch.float32)": set(),
    "scaler = torch.amp.GradScaler('cuda', enabled=amp)": {"grad-scaler"},
    "scaler = torch.cuda.amp.GradScaler(enabled=False)": set(),
    "with torch.cuda.amp.autocast(False): pass": set(),
    "with autocast('cuda', enabled=False): pass": set(),
    # Weights
    "model.half()": {"half-weights"},
    "model = load(path)\nmodel.half()": {"half-weights"},
    "net = AutoModel().cuda().bfloat16()": {"half-weights"},
    "model = model.to(device, torch.float16)": {"half-weights"},
    "model.to(device=device, dtype=model_dtype)": {"half-weights"},
    "layer.weight.data = layer.weight.data.half()": {"half-weights"},
    "AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16)": {"half-weights"},
    "AutoModel.from_pretrained(name, dtype='bfloat16')": {"half-weights"},
    "AutoModel.from_pretrained(name, torch_dtype=torch.float32)": set(),
    "torch.set_default_dtype(torch.bfloat16)": {"half-weights"},
    "images = images.half()": set(),
    "output = model(images).half()": set(),
    "x = x * self.weight.to(x.dtype)": set(),
    "model.to(device)": set(),
    # Compilation
    "model = torch.compile(model)": {"compile"},
    "model.compile(mode='max-autotune')": {"compile"},
    "step = partial(torch.compile, mode='default')": {"compile"},
    "TrainingArguments(torch_compile=True)": {"compile"},
    "pattern = re.compile('a')": set(),
    "model.compile(optimizer='adam', loss='mse')": set(),
    "parser.compile()": set(),
    # Several processes
    "dist.init_process_group('nccl')": {"distributed"},
    "model = DDP(model, device_ids=[0])": {"ddp", "distributed"},
    "model = nn.DataParallel(model)": {"data-parallel"},
    "model = FSDP(model, mixed_precision=policy)": {"fsdp fsdp", "distributed fsdp", "autocast"},
    "L.Trainer(strategy='ddp_find_unused_parameters_true')": {"framework lightning", "ddp", "distributed"},
    "L.Fabric(strategy='deepspeed_stage_2')": {"framework fabric", "fsdp zero", "distributed zero"},
    "engine, *_ = deepspeed.initialize(model=model)": {"framework deepspeed"},
    "isinstance(model, (DDP, nn.DataParallel))": set(),
    "def wrapped(model: DDP) -> DDP: return model": set(),
    "model: DDP = make()": set(),
    "with model.no_sync(): pass": {"no-sync"},
    "context = model.no_sync if micro else nullcontext": {"no-sync"},
    "with (model.no_sync if micro else nullcontext)(): pass": {"no-sync"},
    "context = nullcontext if deepspeed else accelerator.accumulate": {"no-sync"},
    "model.require_backward_grad_sync = last": {"no-sync"},
    "model.set_requires_gradient_sync(False)": {"no-sync"},
    "with accelerator.accumulate(model): pass": {"no-sync"},
    "with fabric.no_backward_sync(model): pass": {"no-sync"},
    "metrics.accumulate(loss)": set(),
    # Samplers
    "sampler = DistributedSampler(rows)": {"distributed-sampler"},
    "sampler = DistributedSampler(rows, shuffle=False)": {"distributed-sampler"},
    "loader.sampler.set_epoch(epoch)": {"set-epoch"},
    # Kernels and switches
    "torch.backends.cuda.matmul.allow_tf32 = True": {"tf32"},
    "cudnn.allow_tf32 = False": {"tf32"},
    "torch.set_float32_matmul_precision('high')": {"tf32"},
    "torch.set_float32_matmul_precision('highest')": {"tf32"},
    "model.to(memory_format=torch.channels_last)": {"channels-last"},
    "y = torch.empty_like(x, memory_format=torch.preserve_format)": set(),
    # Frameworks
    "trainer = Seq2SeqTrainer(model)": {"framework transformers"},
    "trainer = SFTTrainer(model)": {"framework transformers"},
    "engine = Engine(step)": {"framework ignite"},
    "runner = Runner.from_cfg(config)": {"framework mmengine"},
    "class Mine(Seq2SeqTrainer): pass": {"framework transformers"},
    "class Mine(L.LightningModule): pass": {"framework lightning"},
    "class Mine(DDP): pass": set(),
    "def fit(trainer: Seq2SeqTrainer): pass": set(),
    "L.Trainer(gradient_clip_val=0.5)": {"framework lightning"},
}


@pytest.mark.parametrize("code", USES)
def test_what_is_used(code: str) -> None:
    assert kinds(code) == USES[code]


def test_an_import_alone_is_no_use() -> None:
    assert kinds("") == set()


@pytest.mark.parametrize(
    "code",
    [
        "def outer():\n    autocast = make\n    with autocast(): pass",
        "def step(autocast):\n    with autocast(): pass",
        "def wrap(DDP, model): return DDP(model)",
        "def outer():\n    def fully_shard(model): ...\n    fully_shard(model)",
    ],
)
def test_a_name_that_means_something_else_here_is_no_use(code: str) -> None:
    assert kinds(code) == set()


def test_a_name_that_means_it_where_the_import_succeeds_is_a_use() -> None:
    assert kinds("try:\n    from torch.amp import GradScaler\nexcept ImportError:\n    GradScaler = None\nGradScaler()")


def test_names_of_the_project_say_nothing() -> None:
    code = "from .amp import GradScaler\nfrom tools import fully_shard as shard\nscaler = GradScaler()\nshard(model)"
    assert not uses_of(outline(ast.parse(code)))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("'fp16': {'enabled': True}", {"autocast"}),
        ("'fp16': {'enabled': False}", set()),
        ("'bf16': {'enabled': args.bf16}", {"autocast"}),
        ("'zero_optimization': {'stage': 2}", {"fsdp zero", "distributed"}),
        ("'zero_optimization': {'stage': 0}", set()),
    ],
)
@pytest.mark.parametrize("frame", ["config = {%s}", "def config():\n    return {%s}"])
def test_a_configuration_of_deepspeed_is_read(frame: str, entries: str, expected: set[str]) -> None:
    assert kinds(frame % f"'train_batch_size': 32, {entries}") == expected


def test_another_dict_with_such_keys_says_nothing() -> None:
    assert kinds("config = {'lr': 0.1, 'fp16': {'enabled': True}}") == set()
