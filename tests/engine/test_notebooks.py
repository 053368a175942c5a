"""The engine judges and fixes notebooks as it does scripts."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_notebooks import OUTDATED, training
from tests.notebooks.made import code
from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.config.torch_range import TorchRange
from trainlint.engine.configurations import Configurations
from trainlint.engine.rewriting import Fixing, place_shown
from trainlint.engine.run import run_text
from trainlint.finding import Safety
from trainlint.source import decode_source

DATA = training(code(OUTDATED, number=5), code(OUTDATED, number=6)).encode()
SOURCE = decode_source("run.ipynb", DATA)


def test_one_chosen_finding_is_fixed_where_it_is_shown() -> None:
    configurations = Configurations(installed_rules(), Overrides(target_torch=TorchRange((2, 4))), isolated=True)
    found = run_text(SOURCE, Path("run.ipynb"), configurations, alone=True).report.findings
    (place,) = (place_shown(each) for each in found if each.cell == 6 and each.fix)
    fixing = Fixing(Safety.SAFE, write=False, chosen=frozenset({place}))
    (rewrite,) = run_text(SOURCE, Path("run.ipynb"), configurations, fixing=fixing, alone=True).rewrites
    after = decode_source("run.ipynb", rewrite.after.content(DATA)).cells
    assert after is not None
    assert SOURCE.cells is not None
    assert after.sources[:-1] == SOURCE.cells.sources[:-1]
    assert after.sources[-1] == OUTDATED.replace(
        "torch.cuda.amp.autocast()", 'torch.amp.autocast("cuda", dtype=torch.float16)'
    )
