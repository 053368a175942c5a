"""Notebooks as a user meets them: judged, shown by cells, fixed in place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.notebooks.made import code, document, notebook, text

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

REPOSITORY = Path(__file__).resolve().parents[2]
SETUP = """\
%matplotlib inline
!pip install torch
import torch
from torch.utils.data import DataLoader

import project_files
"""
MODEL = """\
model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters())
loader = DataLoader(project_files.dataset(), batch_size=4, num_workers=4, pin_memory=True)
criterion = torch.nn.CrossEntropyLoss()
model?"""
LOOP = """\
%%time
total = 0.0
for images, labels in loader:
    optimizer.zero_grad()
    loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total / len(loader))"""
OUTDATED = """\
with torch.cuda.amp.autocast():
    result = model(images)
# é"""


def training(*more: dict[str, Any]) -> str:
    """A notebook that trains, and waits in each step. Its last cells are `more`."""
    output = {"output_type": "stream", "name": "stdout", "text": ["loss.item()\n"]}
    cells = [
        text("# Training"),
        code(SETUP, number=2),
        code(MODEL, number=3),
        code(LOOP, number=4, outputs=[output], execution_count=17),
        *more,
    ]
    return json.dumps(document(cells), indent=1, ensure_ascii=False) + "\n"


def test_a_training_loop_in_a_cell_is_hot_and_its_place_is_named_by_the_cell(program: Program, write: Write) -> None:
    write("finetune.ipynb", training())
    result = program("check", "finetune.ipynb")
    page = (REPOSITORY / "docs/notebooks.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ trainlint check finetune.ipynb\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    assert result.out == shown[1]
    assert result.code == 1
    # What is kept of the first run says the same.
    assert program("check", "finetune.ipynb").out == shown[1]


def test_programs_are_told_the_cell_and_services_the_line_of_the_file(program: Program, write: Write) -> None:
    path = write("run.ipynb", training())
    (found,) = json.loads(program("check", ".", "--output-format", "json").out)["findings"]
    assert (found["cell"], found["span"]["start_line"], found["span"]["start_column"]) == (4, 8, 14)
    assert found["chain"] == ["cell 4:3: for images, labels in loader"]
    lines = path.read_text("utf-8").splitlines()
    line = lines.index('    "    total += loss.item()\\n",') + 1
    (annotation,) = program("check", ".", "--output-format", "github").out.splitlines()
    assert f"line={line},endLine={line},col={6 + 13},endColumn={6 + 24}," in annotation
    (result,) = json.loads(program("check", ".", "--output-format", "sarif").out)["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (line, 19)
    assert (result["properties"]["cell"], result["properties"]["line"]) == (4, 8)
    (entry,) = json.loads(program("check", ".", "--output-format", "gitlab").out)
    assert entry["location"]["lines"] == {"begin": line, "end": line}
    concise = program("check", ".", "--output-format", "concise").out
    assert concise.startswith("run.ipynb:cell 4:8:14: TRN201 ")


def test_why_takes_the_place_that_reports_print(program: Program, write: Write) -> None:
    write("run.ipynb", training())
    for place in ("run.ipynb:4:8", "run.ipynb:cell 4:8", "run.ipynb:cell 4:8:14:"):
        result = program("why", place)
        assert "4:8 │     total += loss.item()" in result.out
        assert "runs each training step: cell 4:3: for images, labels in loader" in result.out
        assert "TRN201 item-in-training-step reports `loss.item()`" in result.out
    lines = json.loads(program("why", "run.ipynb:4", "--output-format", "json").out)["lines"]
    assert {(line["cell"], line["line"]) for line in lines} == {(4, number) for number in range(2, 10)}
    assert "run.ipynb has no code cell 1; text cells count, too" in program("why", "run.ipynb:1:1").err
    assert "cell 4 has 9 lines, so there is no line 10" in program("why", "run.ipynb:4:10").err


def test_what_runs_in_another_file_is_named_by_the_cell_that_calls_it(program: Program, write: Write) -> None:
    write("trainlint.toml", "")
    write("project_files.py", "import torch\n\n\ndef note(loss, log):\n    log.append(loss.cpu().item())\n")
    write("run.ipynb", training().replace("    total += loss.item()", "    project_files.note(loss, [])"))
    (found,) = json.loads(program("check", "project_files.py", "--output-format", "json").out)["findings"]
    assert found["chain"] == [
        "run.ipynb:cell 4:3: for images, labels in loader",
        "run.ipynb:cell 4:8: calls note",
    ]
    assert [(place["path"], place["cell"], place["line"]) for place in found["related"]] == [("run.ipynb", 4, 8)]
    assert "run.ipynb:cell 4:3: for" in program("why", "project_files.py:5").out
    assert json.loads(program("check", ".", "--output-format", "json").out)["findings"] == [found]


def test_fixes_change_the_lines_they_are_about_and_no_other_byte(program: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
    before = training(code(OUTDATED, number=5))
    path = write("run.ipynb", before)
    result = program("check", ".", "--fix", "--output-format", "concise")
    assert "Fixed 1 problem." in result.out
    after = path.read_text("utf-8")
    changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
    assert changed == [
        (
            '    "with torch.cuda.amp.autocast():\\n",',
            '    "with torch.amp.autocast(\\"cuda\\", dtype=torch.float16):\\n",',
        ),
    ]
    assert program("check", ".", "--fix", "--output-format", "concise").out.startswith("run.ipynb:cell 4:8:14: TRN201")
    assert path.read_text("utf-8") == after


def test_the_diff_is_a_patch_of_the_file(program: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
    path = write("run.ipynb", training(code(OUTDATED, number=5)))
    before = path.read_bytes()
    result = program("check", ".", "--diff")
    assert result.code == 1
    assert path.read_bytes() == before
    assert '+    "with torch.amp.autocast(\\"cuda\\", dtype=torch.float16):\\n",\n' in result.out
    assert "cell" not in result.out.partition("\n")[0]


def test_ignore_comments_in_cells_silence_and_can_be_added(program: Program, write: Write) -> None:
    path = write("run.ipynb", training())
    assert program("check", ".", "--add-ignores", "measured", "--quiet").code == 0
    assert '"    total += loss.item()  # trainlint: ignore[TRN201] measured\\n",' in path.read_text("utf-8")
    assert program("check", ".").out == "All clear: 1 file, which trains (1 problem ignored by comments).\n"


def test_a_notebook_on_standard_input_comes_back_fixed(program: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
    data = training(code(OUTDATED, number=5)).encode()
    result = program("check", "-", "--stdin-filename", "run.ipynb", "--fix", "--output-format", "concise", stdin=data)
    new = b'torch.amp.autocast(\\"cuda\\", dtype=torch.float16)'
    assert result.out.encode() == data.replace(b"torch.cuda.amp.autocast()", new)
    assert result.err.startswith("run.ipynb:cell 4:8:14: TRN201")


@pytest.mark.parametrize("setting", ['exclude = ["*.ipynb"]', '[per-file-ignores]\n"*.ipynb" = ["ALL"]'])
def test_the_configuration_leaves_notebooks_out(program: Program, write: Write, setting: str) -> None:
    write("trainlint.toml", setting)
    write("run.ipynb", training())
    write("clean.py")
    assert program("check", ".").code == 0


def test_copies_that_jupyter_keeps_are_left_out(program: Program, write: Write) -> None:
    write(".ipynb_checkpoints/run-checkpoint.ipynb", training())
    write("clean.py")
    assert program("check", ".").out.startswith("All clear: 1 file, which does not train")


def test_other_kernels_are_skipped_and_broken_notebooks_hide_nothing(program: Program, write: Write) -> None:
    write("r.ipynb", notebook("library(torch)", metadata={"kernelspec": {"name": "ir", "language": "R"}}))
    write("broken.ipynb", training()[:-9])
    write("old.ipynb", '{"worksheets": [], "metadata": {}, "nbformat": 3}')
    write("half.ipynb", notebook("import torch\nfor x in"))
    write("run.ipynb", training())
    result = program("check", ".", "--output-format", "concise")
    assert result.code == 2
    lines = result.out.splitlines()
    assert lines[0].startswith("run.ipynb:cell 4:8:14: TRN201")
    assert [line.partition(": ")[0] for line in lines[1:-1]] == [
        "could not judge broken.ipynb",
        "could not judge half.ipynb",
        "could not judge old.ipynb",
    ]
    assert "half.ipynb: cell 1:2: syntax error in Python" in result.out
    assert program("check", "r.ipynb").code == 0


def test_large_outputs_do_not_count(program: Program, write: Write) -> None:
    image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "torch" * 2_000_000}}
    write("run.ipynb", training().replace("[]", json.dumps([image]), 1))
    write("plain.ipynb", json.dumps(document([code("x = 1", outputs=[image])])))
    result = program("check", ".", "--output-format", "concise")
    assert result.out.splitlines()[0].startswith("run.ipynb:cell 4:8:14: TRN201")
    assert result.out.splitlines()[-1] == "Found 1 problem; 1 of 2 files trains (1 fixable with --fix --unsafe-fixes)."
    again = program("check", ".", "--output-format", "concise", "--verbose")
    assert again.out == result.out
    assert "nothing has changed since this was last found out" in again.err


def test_a_notebook_that_is_too_large_gives_a_sentence(program: Program, write: Write) -> None:
    write("run.ipynb", notebook("x = 1") + " " * 50_000_000)
    result = program("check", ".", "--output-format", "concise")
    assert result.code == 2
    assert "larger than 50 MB, the most that trainlint reads of one file; clear its outputs or exclude it" in result.out
