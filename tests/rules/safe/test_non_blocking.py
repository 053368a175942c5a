"""`non_blocking=True` is SAFE only where nothing writes to the host's memory later, and comes with pinned memory."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes, safe
from trainlint.finding import Safety

TRAIN = """
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from elsewhere import mix


def wipe(rows):
    rows.fill_(0)


def wipe_part(rows, amount):
    first = rows[:amount].view(-1)
    wipe(first)


def train(model, optimizer, dataset):
    loader = DataLoader(dataset, 4, num_workers=2{options})
    for {batch} in loader:
        {before}
        {copy}
        {after}
        optimizer.zero_grad()
        model({given}).sum().backward()
        optimizer.step()
"""


def code(
    after: str = "pass",
    before: str = "pass",
    copy: str = 'moved = rows.to("cuda")',
    given: str = "moved",
    batch: str = "rows, labels",
    options: str = ", pin_memory=True",
) -> str:
    return TRAIN.format(**locals())


WRITTEN = {
    "a method": code("rows.zero_()"),
    "an element": code("rows[0] = 1"),
    "arithmetic in place": code("rows += 1"),
    "an alias": code("same.zero_()", "same = rows"),
    "an alias of an alias": code("again.zero_()", "same = rows; again = same"),
    "an alias that is made later": code("same = rows; same.zero_()"),
    "a view": code("flat[0] = 1", "flat = rows.view(-1)"),
    "a view of the view": code("flat.unsqueeze(0).mul_(2)", "flat = rows.view(-1)"),
    "NumPy": code("array = rows.numpy(); array += 1"),
    "NumPy by a function": code("array = np.asarray(rows); array[0] = 1"),
    "out=": code("torch.mul(labels, 2, out=rows)"),
    "inplace=True": code("F.relu(rows, inplace=True)"),
    "a helper": code("wipe(rows)"),
    "a helper of a helper": code("wipe_part(rows, 2)"),
    "a function out of sight": code("mix(rows)"),
    "a list": code("parts[0].zero_()", "parts = [rows, labels]"),
    "under the old name, where the copy has a new meaning": code(
        "same.zero_()", "same = rows", 'rows = rows.to("cuda")', "rows"
    ),
    "the batch that it is a part of": code("batch[0].zero_()", "rows, labels = batch", batch="batch"),
    "a function that ends in _": code("F.relu_(rows)"),
    "a function that has no _": code("np.copyto(rows, 0)"),
    "a method by its name": code('getattr(rows, "zero_")()'),
    "a function on several tensors": code("torch._foreach_mul_([rows], 2.0)"),
    "a dict of the module": code('kept["rows"] = rows; wipe_kept()'),
    "an attribute": code("model.rows = rows; model.wipe()"),
    "an attribute by its name": code('setattr(model, "rows", rows)'),
    "a closure": code("wipe_later = lambda: rows.zero_(); wipe_later()"),
    "a thread": code("threading.Thread(target=wipe, args=(rows,)).start()"),
    "its data": code("rows.data.zero_()"),
    "its data in place": code("rows.data += 1"),
    "other memory": code("rows.set_(labels)"),
    "a generator": code("yield rows"),
    "a name that walks": code("(same := rows); same.zero_()"),
    "a name bound by a loop": code("for row in rows:\n            row.zero_()"),
    "a comprehension": code("[row.zero_() for row in rows]"),
    "an entry that is written in place": code('batch["rows"] *= 2', copy='moved = batch["rows"].cuda()', batch="batch"),
    "an entry under another name": code(
        "for name, rows in batch.items():\n            rows.zero_()",
        copy='moved = batch["rows"].cuda()',
        batch="batch",
    ),
    "the copy that is the same tensor on the CPU": code(
        "other.zero_()", "other = rows.to(device)", "moved = rows.cuda()", options=", pin_memory=True"
    ),
    "a name of the module": code("wipe_it()").replace("    loader =", "    global rows\n    loader =")
    + "\ndef wipe_it():\n    rows.zero_()\n",
    "code that is a text": code('exec("rows.zero_()")'),
    "a dataset that gives whole batches": code(options=", pin_memory=True, batch_size=None").replace(
        "dataset, 4, ", "dataset, "
    ),
    "a collate function that fills one buffer": code(
        copy="moved = rows.cuda()", options=", pin_memory=True, collate_fn=fill_buffer"
    ),
    "a collate function that is set later": code("loader.collate_fn = fill_buffer"),
    "a collate function that is set by its name": code('setattr(loader, "collate_fn", fill_buffer)'),
    "a loader wrapped by a function out of sight": code().replace(
        "    for rows", "    loader = mix(loader)\n    for rows"
    ),
    "a comprehension that writes": code(copy='moved = [mix(rows) or rows.to("cuda") for rows in loader][0]'),
    "no batch size, by a name": code(options=", pin_memory=True, batch_size=size")
    .replace("dataset, 4, ", "dataset, ")
    .replace("    loader =", "    size = None\n    loader ="),
    "another stream of the device": code("with torch.cuda.stream(side): model(moved)"),
}
LEFT_ALONE = {
    "nothing": code(),
    "the copy": code("moved.zero_()"),
    "the copy under the old name": code("rows.zero_()", copy='rows = rows.to("cuda")', given="rows"),
    "another part of the batch": code("labels.zero_()"),
    "it is only measured": code("print(rows.shape, len(rows), rows.size(0))"),
    "a view of it": code(copy='moved = rows.view(rows.size(0), -1).to("cuda")'),
    "a model that evaluates": code("model.eval()"),
    "a size by a name": code().replace("dataset, 4", "dataset, dataset.size"),
    "an iterator": code(before="rows, labels = next(iterator)").replace(
        "    for rows", "    iterator = iter(loader)\n    for rows"
    ),
    "a loader of a function": code().replace("in loader", "in make(dataset)")
    + "\ndef make(dataset):\n    return DataLoader(dataset, 4, pin_memory=True)\n",
    "what the dataset was made of": code("mix(dataset)"),
    "through known iterators": code()
    .replace("in loader", "in tqdm(loader)")
    .replace("import mix", "import mix\nfrom tqdm import tqdm"),
    "another part that was moved, too": code(
        "mix(labels)", copy='rows = rows.to("cuda"); labels = labels.to("cuda")', given="rows"
    ),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_memory_that_is_written_to_later_is_for_a_person_to_judge(text: str) -> None:
    (finding,) = fixes(text, "TRN205")["TRN205"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_memory_that_is_left_alone_is_safe(text: str) -> None:
    assert safe(text, "TRN205") == {"TRN205"}


@pytest.mark.parametrize(
    "options", ["**options", "*options", "non_blocking=False", "non_blocking=model.flag", "torch.float, False"]
)
def test_what_says_already_whether_to_wait_is_left_alone(options: str) -> None:
    assert not fixes(code(copy=f'moved = rows.to("cuda", {options})'), "TRN205")


@pytest.mark.parametrize("copy", ["rows.type_as(weight)", "torch.as_tensor(rows, device='cuda')"])
def test_what_takes_no_such_keyword_is_left_alone(copy: str) -> None:
    assert not fixes(code(f"moved = {copy}", "weight = torch.ones(1, device='cuda')", "pass"), "TRN205")


def test_memory_that_a_caller_hands_over_is_for_a_person_to_judge() -> None:
    text = """
import torch
from torch.utils.data import DataLoader


def step(model, rows):
    moved = rows.to("cuda")
    model(moved.float()).sum().backward()


def run(model, dataset):
    for rows in DataLoader(dataset, 4, pin_memory=True):
        step(model, rows)
"""
    (finding,) = fixes(text, "TRN205")["TRN205"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


def test_memory_is_pinned_in_the_same_fix() -> None:
    (finding,) = fixes(code(options=""), "TRN205")["TRN205"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    after = fixed(code(options=""), "TRN205")
    assert "num_workers=2, pin_memory=True)" in after
    assert 'rows.to("cuda", non_blocking=True)' in after


def test_what_cannot_be_pinned_safely_is_not_copied_so_either() -> None:
    assert not safe(code(options=", pin_memory=False"), "TRN205")
    assert not safe(code(options=", collate_fn=dataset.collate"), "TRN205")
    assert not safe(
        code().replace("loader = DataLoader(dataset, 4, num_workers=2, pin_memory=True)", "loader = dataset"), "TRN205"
    )


BOTH = """rows = rows.to("cuda")
        labels = labels.to("cuda")"""


def test_all_copies_of_a_batch_go_on_at_the_level_of_the_weakest() -> None:
    text = code("same.zero_()", "same = labels", BOTH, "rows, labels")
    assert not safe(text, "TRN205")
    after = fixed(text, "TRN205", Safety.UNSAFE)
    assert 'rows = rows.to("cuda", non_blocking=True)' in after
    assert 'labels = labels.to("cuda", non_blocking=True)' in after


def test_no_copy_goes_on_before_one_that_waits() -> None:
    waiting = 'torch.as_tensor(labels, device="cuda")'
    behind = code(copy='rows = rows.to("cuda")', after=f"labels = {waiting}", given="rows, labels")
    before = code(before=f"labels = {waiting}", copy='rows = rows.to("cuda")', given="rows, labels")
    assert "TRN205" not in fixes(behind, "TRN205")
    assert "non_blocking" not in fixed(before, "TRN205", Safety.UNSAFE)  # the first copy would wait as before
