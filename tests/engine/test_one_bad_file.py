"""One bad file is named, and the others are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli import COULD_NOT_JUDGE, main

TRAINING = (
    "import torch\n\n\ndef train(model, loader, optimizer):\n    for x in loader:\n"
    "        loss = model(x.cuda()).sum()\n"
    "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n        print(loss.item())\n"
)
NOTEBOOK = (
    '{"cells":[{"cell_type":"code","metadata":{},"outputs":[],"source":["import torch\\n","s = \\"\\ud800\\"\\n"]}],'
    '"metadata":{},"nbformat":4,"nbformat_minor":5}'
)
BAD = {
    "half.ipynb": NOTEBOOK.encode(),
    "coding.py": b"# coding: idna\nimport torch\n" + b"x" * 70 + b" = 1\n",
    "trainer_bool.yaml": b"per_device_train_batch_size: 8\nx: !!bool maybe\n",
    "trainer_float.yaml": b'per_device_train_batch_size: 8\nx: !!float ""\n',
    "trainer_time.yaml": b"per_device_train_batch_size: 8\nx: !!timestamp foo\n",
    "deep.py": b"import torch\nx = " + b"f" + b"()" * 3000 + b"\n",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_spares_the_others(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    (tmp_path / name).write_bytes(BAD[name])
    monkeypatch.chdir(tmp_path)
    code = main(["check", ".", "--isolated", "--no-cache", "-j1", "--output-format", "concise"])
    said = capsys.readouterr()

    assert "train.py:10" in said.out, "the other file is judged"
    assert "Traceback" not in said.err
    assert "report" not in said.out + said.err, "it is the file's fault, and not trainlint's"
    assert code == (1 if name.endswith(".yaml") else COULD_NOT_JUDGE)


def test_a_deleted_working_directory_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["check", "."]) == COULD_NOT_JUDGE
    assert "the working directory was deleted" in capsys.readouterr().err
