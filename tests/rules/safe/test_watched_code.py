"""The fix of an old name is UNSAFE where code around it may ask what it raises or warns of."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe

CODE = """
import warnings
import pytest
import torch
from torch.utils.data import DataLoader
from tqdm import tqdm


def look(loader, tools, path):
{lines}
"""
OLD = "torch.cuda.memory_cached()"


@pytest.mark.parametrize(
    ("lines", "is_safe"),
    [
        (OLD, True),
        (f"try:\n    {OLD}\nexcept Exception:\n    return None", False),
        (f"try:\n    {OLD}\nexcept:\n    return None", False),
        (f"try:\n    {OLD}\nexcept KeyboardInterrupt:\n    return None", True),
        (f"try:\n    {OLD}\nfinally:\n    tools.stop()", True),
        (f"try:\n    tools.start()\nexcept KeyboardInterrupt:\n    pass\nelse:\n    {OLD}", True),
        (f"with pytest.warns(FutureWarning):\n    {OLD}", False),
        (f"with warnings.catch_warnings(record=True) as seen:\n    {OLD}", False),
        (f"with tools.watch():\n    for item in loader:\n        {OLD}", False),
        (f"with torch.no_grad(), tools.watch():\n    {OLD}", False),
        (f"with torch.no_grad():\n    {OLD}", True),
        (f"with tqdm(loader) as bar:\n    {OLD}", True),
        (f"with open(path) as lines:\n    {OLD}", True),
    ],
)
def test_an_old_name_inside(lines: str, is_safe: bool) -> None:
    code = CODE.format(lines="\n".join(f"    {line}" for line in lines.split("\n")))
    assert safe(code, "TRN812") == ({"TRN812"} if is_safe else set())


def test_it_is_still_offered() -> None:
    assert set(fixes(CODE.format(lines=f"    with tools.watch():\n        {OLD}"), "TRN812")) == {"TRN812"}
