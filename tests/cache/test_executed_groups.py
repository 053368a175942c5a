"""What an abstract run of a group of files gave is recalled until one of its texts is another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cache.project import age, opened, run_over, write_project
from tests.engine.linked_project import FILES
from trainlint.engine.index import executing
from trainlint.engine.index.executing import execute_group

OTHER = {"alone.py": "import torch\n\nfor row in torch.ones(3):\n    print(row.item())\n"}


def test_after_an_edit_only_the_group_of_the_file_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[list[str]] = []

    def execute(group: executing.Group, *rest: Any) -> Any:
        executed.append(sorted(group.sources))
        return execute_group(group, *rest)

    monkeypatch.chdir(write_project(tmp_path / "project", {**FILES, **OTHER}))
    monkeypatch.setattr(executing, "execute_group", execute)
    first = run_over(cache=opened()).report
    assert sorted(executed) == [["alone.py"], ["pkg/engine.py", "pkg/utils.py", "scripts/train.py"]]
    executed.clear()
    Path("alone.py").write_text(f"{OTHER['alone.py']}# the end\n", encoding="utf-8")
    age()
    assert run_over(cache=opened()).report.findings == first.findings != ()
    assert executed == [["alone.py"]]
