"""Settings of DeepSpeed that contradict others, that nothing reads, or that cost something in each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.literal_dicts import Setting, Settings
from trainlint.finding import Severity

ZERO = "zero_optimization"
_Path = tuple[str, ...]
"""The keys that lead to a setting."""


class SettingRow(NamedTuple):
    """A setting that is reported, as a row of a table."""

    path: _Path
    fact: str
    """What is wrong with it. `{name}` is its last key, `{stage}` the stage of ZeRO."""
    instead: str
    """What to do."""
    values: tuple[object, ...] = ()
    """The values that it has then; any value where this is empty."""
    where: tuple[tuple[_Path, tuple[object, ...]], ...] = ()
    """Values that other settings must have."""
    lacks: tuple[str, ...] = ()
    """Keys that its own section must not have. All keys of the section must be in sight."""
    severity: Severity = Severity.WARNING


class Claim(NamedTuple):
    """A setting, what is wrong with it, and what to do."""

    setting: Setting
    fact: str
    instead: str
    severity: Severity


_STAGE = (ZERO, "stage")


def _renamed(name: str, new: str) -> tuple[SettingRow, SettingRow]:
    """Rows for a setting that DeepSpeed calls deprecated."""
    row = SettingRow((ZERO, name), "`{name}` is deprecated", f"write {new}")
    return row._replace(values=(False,), instead="leave it out"), row


def _pageable(name: str) -> SettingRow:
    """A row for what is offloaded to host memory that is not pinned."""
    return SettingRow(
        (ZERO, name, "pin_memory"),
        f"`{name}` copies to pageable memory while the host waits",
        "set `pin_memory`",
        values=(False,),
        where=(((ZERO, name, "device"), ("cpu",)),),
    )


_ROWS = (
    SettingRow(
        ("bf16",),
        "`fp16` and `bf16` are both enabled: DeepSpeed refuses it",
        "enable one of them",
        where=((("fp16", "enabled"), (True,)), (("bf16", "enabled"), (True,))),
        severity=Severity.ERROR,
    ),
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
    SettingRow(
        (ZERO, "offload_param"),
        "`{name}` does nothing in stage {stage}",
        "use stage 3, which splits the weights",
        where=((_STAGE, (0, 1, 2)), ((ZERO, "offload_param", "device"), ("cpu", "nvme"))),
    ),
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
        lacks=("overlap_comm", "zenflow"),
    ),
)
"""The first row that fits a setting is the one that is reported."""


def claims(settings: Settings) -> Iterator[Claim]:
    """The settings of a configuration that are reported."""
    yield from _impossible_batch(settings)
    reported: set[_Path] = set()
    for row in _ROWS:
        setting = settings.get(*row.path)
        if setting is not None and row.path not in reported and _fits(settings, setting, row):
            reported.add(row.path)
            fact = row.fact.format(name=row.path[-1], stage=settings.literal(*_STAGE))
            yield Claim(setting, fact, row.instead, row.severity)


def _fits(settings: Settings, setting: Setting, row: SettingRow) -> bool:
    if row.values and not _is_one_of(setting.literal, row.values):
        return False
    if not all(_is_one_of(settings.literal(*path), values) for path, values in row.where):
        return False
    section = settings.section(*row.path) if row.lacks else None
    return not row.lacks or (section is not None and section.is_whole and not any(map(section.get, row.lacks)))


def _is_one_of(literal: object, values: tuple[object, ...]) -> bool:
    """Whether a literal is one of some values, where 1 is not True."""
    return any(type(literal) is type(value) and literal == value for value in values)


def _impossible_batch(settings: Settings) -> Iterator[Claim]:
    """A batch size of all ranks that the batches of the ranks cannot add up to."""
    whole = settings.get("train_batch_size")
    parts = [settings.literal(name) for name in ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")]
    numbers = [part for part in parts if isinstance(part, int) and not isinstance(part, bool)]
    each = numbers[0] * numbers[1] if len(numbers) == 2 else 0
    if whole is not None and isinstance(whole.literal, int) and each and whole.literal % each:
        product = f"{numbers[0]} samples a GPU times {numbers[1]} micro-batches"
        fact = f"`train_batch_size` {whole.literal} is no multiple of {product}: DeepSpeed refuses it"
        yield Claim(whole, fact, "leave one of the three out", Severity.ERROR)
