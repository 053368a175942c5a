"""Settings of DeepSpeed that contradict others, that nothing reads, or that cost something in each step."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.syntax.literal_dicts import Settings
from trainlint_rules.settings.idioms.setting_rows import Claim, SettingRow, claims

ZERO = "zero_optimization"
_STAGE = (ZERO, "stage")


def _renamed(name: str, new: str) -> tuple[SettingRow, SettingRow]:
    """Rows for a setting that DeepSpeed calls deprecated."""
    row = SettingRow((ZERO, name), "`{name}` is deprecated", f"write {new}")
    return row._replace(values=(False,), instead="leave it out"), row


def _pageable(name: str) -> SettingRow:
    """A row for what is offloaded to CPU memory that is not pinned."""
    return SettingRow(
        (ZERO, name, "pin_memory"),
        f"`{name}` copies to pageable memory while the CPU waits",
        "set `pin_memory`",
        values=(False,),
        where=(((ZERO, name, "device"), ("cpu",)),),
    )


_ROWS = (
    SettingRow(
        ("wall_clock_breakdown",),
        "`{name}` forces GPU syncs around forward, backward and optimizer in every step",
        "set it only while you measure",
        values=(True,),
    ),
    *_renamed("cpu_offload", '`"offload_optimizer": {"device": "cpu"}`'),
    *_renamed("cpu_offload_param", '`"offload_param": {"device": "cpu"}`'),
    *_renamed("cpu_offload_use_pin_memory", "`pin_memory` in the section of what is offloaded"),
    *_renamed("stage3_gather_fp16_weights_on_model_save", "`stage3_gather_16bit_weights_on_model_save`"),
    _pageable("offload_optimizer"),
    _pageable("offload_param"),
    SettingRow(
        (ZERO, "contiguous_gradients"),
        "without `{name}` reduced gradients stay where backward made them and splinter the memory",
        "leave it on, as it is by default",
        values=(False,),
        where=((_STAGE, (1, 2, 3)),),
    ),
    SettingRow(
        (ZERO,),
        "in ZeRO stage 2 gradients are reduced while nothing else runs",
        "set `overlap_comm`",
        where=((_STAGE, (2,)),),
        lacks=((ZERO, "overlap_comm"), (ZERO, "zenflow")),
    ),
)


def deepspeed_claims(settings: Settings) -> Iterator[Claim]:
    """The settings of a configuration that are reported."""
    yield from claims(settings, _ROWS)
