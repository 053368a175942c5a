"""Every fix declares the PyTorch that has what it writes.

All rules fix their pages and the files in `tests/cases`, one fix at a time, in a project that states no version. What a
fix writes that the file did not have before is looked up in PyTorch's release history.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.rules.catalogue import DEFAULT, all_rules, source
from tests.rules.test_cases import CASES, FILES, read_case
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.tables.versions.needed_versions import FLOOR
from trainlint.engine.judge import judge
from trainlint.finding import Confidence, Finding, Fix, Safety
from trainlint.fixing import apply_fixes
from trainlint.rule import Rule

Version = tuple[int, int]

SINCE: dict[str, Version] = {
    "torch.cuda.max_memory_reserved": (1, 4),
    "torch.cuda.memory_reserved": (1, 4),
    "torch.cuda.reset_peak_memory_stats": (1, 4),
    "reset_peak_memory_stats": (1, 4),
    "unscale_": (1, 6),
    "gradient_as_bucket_view": (1, 7),
    "persistent_workers": (1, 7),
    "torch._foreach_add_": (1, 7),
    "torch._foreach_mul_": (1, 7),
    "torch.linalg": (1, 7),
    "torch.outer": (1, 7),
    "torch.linalg.cholesky": (1, 8),
    "torch.linalg.qr": (1, 8),
    "torch.linalg.multi_dot": (1, 9),
    "torch.profiler": (1, 9),  # 1.8.1
    "torch.profiler.profile": (1, 9),
    "torch.amp": (1, 10),
    "torch.amp.autocast": (1, 10),
    "torch.utils.data.default_collate": (1, 11),
    "torch.utils.data.default_convert": (1, 11),
    "use_reentrant": (1, 11),
    "clip_grad_norm_": (1, 12),  # of FullyShardedDataParallel
    "weights": (1, 12),  # of torchvision 0.13
    "weights_backbone": (1, 12),
    "COCO_WITH_VOC_LABELS_V1": (1, 12),
    "IMAGENET1K_V1": (1, 12),
    "all_gather_into_tensor": (1, 13),
    "reduce_scatter_tensor": (1, 13),
    "torch.distributed.all_gather_into_tensor": (1, 13),
    "torch.distributed.reduce_scatter_tensor": (1, 13),
    "weights_only": (1, 13),
    "adamw_torch_fused": (2, 0),
    "fused": (2, 0),
    "torch.func": (2, 0),
    "torch.func.grad": (2, 0),
    "torch.func.jacrev": (2, 0),
    "torch.func.vmap": (2, 0),
    "torch.set_default_device": (2, 0),
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": (2, 2),
    "TORCH_NCCL_BLOCKING_WAIT": (2, 2),
    "torch.amp.GradScaler": (2, 3),
    "FLASH_ATTENTION": (2, 3),
    "MATH": (2, 3),
    "torch.nn.attention.SDPBackend": (2, 3),
    "torch.nn.attention.sdpa_kernel": (2, 3),
    "device_type": (2, 4),  # of custom_fwd
    "torch.amp.custom_bwd": (2, 4),
    "torch.amp.custom_fwd": (2, 4),
    "use_device": (2, 4),
    "CUDNN_ATTENTION": (2, 5),
    "forward_sync_buffers": (2, 13),
}
"""What a fix may write, and the first minor version of PyTorch that has it."""
IN_ALL = frozenset(
    """ReduceOp alpha bias clone constant_ contiguous cpu cpu_count cross_entropy cuda detach device embedding
    interpolate kaiming_normal_ map_location math.inf max_val mean min_val new_empty non_blocking none num_workers
    pin_memory reduction requires_grad requires_grad_ saved_tensors set_epoch shape softplus stack sum torch.expm1
    torch.float16 torch.from_numpy torch.log1p torch.logsumexp torch.nn torch.nn.functional
    torch.nn.functional.softplus torch.nn.utils.clip_grad_norm_ torch.no_grad unbind unsqueeze value
    xavier_uniform_""".split()
) | {"dtype", "need_weights"}  # as old as the MultiheadAttention that is called
"""What every PyTorch since 1.0 has, or is not PyTorch's."""


def words(tree: ast.AST) -> set[str]:
    """The attributes, keywords and imported names of a text: what it may ask of a library."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(word)):
                found.add(word)
            case ast.Attribute(attr=word):
                name = dotted(node) or ""
                found.add(name if name.startswith("torch.") else word)
            case ast.ImportFrom(module=module, names=names):
                found |= {f"{module}.{alias.name}" for alias in names}
            case ast.Constant(value=str(word)) if word.isidentifier():
                found.add(word)
    return found


def fixes(rule: type[Rule]) -> Iterator[tuple[str, Finding]]:
    """Each text with a fix that a rule offers in it."""
    texts = [(rule.manual.example, "train.py")]
    texts += [(read_case(CASES / file)[0], file) for file in FILES if file.startswith(f"{rule.code}/")]
    config = replace(DEFAULT, preview=True, min_confidence=Confidence.UNLIKELY)
    for text, path in texts:
        verdicts = judge(source(text, path), (rule(),), config, known=all_rules())
        yield from ((text, finding) for finding in verdicts.findings if finding.fix is not None)


def new_words(text: str, finding: Finding) -> set[str]:
    """What the text asks for after the fix of a finding, and did not before."""
    try:
        fixed = ast.parse(apply_fixes(source(text), (finding,), Safety.UNSAFE).text)
    except SyntaxError:
        return set()  # the engine undoes such a fix
    return words(fixed) - words(ast.parse(text))


def declared(fix: Fix) -> Version:
    """The version that the title names; the oldest one where it names none."""
    match = re.search(r"\(needs torch (\d+)\.(\d+)\)$", fix.title)
    return (int(match[1]), int(match[2])) if match else FLOOR


OFFERING = [rule for rule in all_rules() if rule.fix_safety is not None and not rule.of_run and not rule.of_engine]


@pytest.mark.parametrize("rule", OFFERING, ids=lambda rule: rule.code)
def test_a_fix_declares_the_version_of_all_that_it_writes(rule: type[Rule]) -> None:
    for text, finding in fixes(rule):
        assert finding.fix is not None
        written = new_words(text, finding) - IN_ALL
        assert written <= SINCE.keys(), "say in which PyTorch these came, or that all have them"
        assert {word for word in written if SINCE[word] > declared(finding.fix)} == set()
