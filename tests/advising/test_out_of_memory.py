"""Messages of PyTorch that memory ran out, of several releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.advising.out_of_memory import NoMessage, describe, read_message, steps
from trainlint.cli import main

GIB = 2**30
TODAY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB "
    "of which 1.12 GiB is free. Including non-PyTorch memory, this process has 22.51 GiB memory in use. Of the "
    "allocated memory 17.02 GiB is allocated by PyTorch, and 4.80 GiB is reserved by PyTorch but unallocated."
)
OF_PYTORCH_1 = (
    "RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB (GPU 0; 10.92 GiB total capacity; 9.76 GiB already "
    "allocated; 211.38 MiB free; 9.94 GiB reserved in total by PyTorch)"
)


def test_the_message_of_today() -> None:
    found = read_message(f"Traceback ...\n{TODAY}\n")
    assert found.tried == 2 * GIB
    assert found.capacity == pytest.approx(23.65 * GIB)
    assert found.allocated == pytest.approx(17.02 * GIB)
    assert found.unused == pytest.approx(4.80 * GIB)
    assert found.free == pytest.approx(1.12 * GIB)
    assert found.elsewhere == pytest.approx(0.71 * GIB, abs=0.01 * GIB)


def test_the_message_of_pytorch_1() -> None:
    found = read_message(OF_PYTORCH_1)
    assert found.tried == 392 * 2**20
    assert found.capacity == pytest.approx(10.92 * GIB)
    assert found.allocated == pytest.approx(9.76 * GIB)
    assert found.unused == pytest.approx(0.18 * GIB)


def test_the_last_message_counts() -> None:
    assert read_message(f"{TODAY}\n{OF_PYTORCH_1}").tried == 392 * 2**20


def test_memory_in_pieces_is_named_first() -> None:
    found = read_message(TODAY)
    assert "fragmented" in describe(found)
    assert "expandable_segments" in steps(found)[0]


def test_memory_that_is_full_is_not_called_fragmented() -> None:
    found = read_message(OF_PYTORCH_1)
    assert "fragmented" not in describe(found)
    assert not any("expandable_segments" in step for step in steps(found))


def test_another_process_is_named_first() -> None:
    message = TODAY.replace("17.02 GiB is allocated", "2.02 GiB is allocated")
    assert "nvidia-smi" in steps(read_message(message))[0]


def test_one_huge_tensor_is_pointed_at() -> None:
    message = TODAY.replace("Tried to allocate 2.00 GiB", "Tried to allocate 12.00 GiB")
    assert any("logits" in step for step in steps(read_message(message)))


@pytest.mark.parametrize("text", ["", "Killed", "Tried to allocate nothing"])
def test_another_text(text: str) -> None:
    with pytest.raises(NoMessage):
        read_message(text)


def test_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(TODAY))
    assert main(["advise", "--oom", "-"]) == 0
    assert "2.00 GiB were asked for" in capsys.readouterr().out


def test_a_log_without_the_message_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.txt"
    path.write_text("Killed\n", encoding="utf-8")
    assert main(["advise", "--oom", str(path)]) == 2
    assert "holds no message of PyTorch" in capsys.readouterr().err
