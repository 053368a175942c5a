"""Rules that are imported when they are needed find what rules find that are imported at once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.run import run
from trainlint.finding import Confidence
from trainlint.packs import load_rules

REPOSITORY = Path(__file__).resolve().parents[2]
EVERYTHING = Overrides(select=("ALL",), preview=True, min_confidence=Confidence.UNLIKELY)


@pytest.mark.slow
@pytest.mark.parametrize("tree", ["examples", pytest.param("tests/cases", marks=pytest.mark.nightly)])
def test_lazy_rules_find_the_same(tree: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    discovery = discover([Path(tree)])
    eager, lazy = (
        run(discovery, Configurations(rules, EVERYTHING, isolated=True), workers=1)
        for rules in ([rule() for rule in load_rules()], installed_rules())
    )
    assert len(eager.report.findings) > 20
    assert lazy.report == eager.report


def test_a_rule_that_cannot_be_imported_is_a_failure_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything was in order when the catalogue was made, and what the rule imports is gone since."""
    monkeypatch.chdir(tmp_path)
    step = "loss = model(batch.cuda())\n    loss.backward()\n    optimizer.step()\n    print(loss.item())\n"
    (tmp_path / "train.py").write_text(f"import torch\n\nfor batch in loader:\n    {step}")
    [entry] = [entry for entry in installed_rules() if entry.code == "TRN201"]
    monkeypatch.setitem(sys.modules, entry.module, None)
    found = run(discover([Path("train.py")]), Configurations(installed_rules(), isolated=True), workers=1)
    [failure] = found.report.failures
    assert failure.rule == entry.code
    assert entry.module in failure.reason
