"""The gate, and what keeps a file from being read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.engine.read import SIZE_LIMIT, decode, read_bytes
from trainlint.source import UnreadableSource, decode_source


def test_a_file_that_speaks_of_torch_is_decoded() -> None:
    source = decode("train.py", b"import torch\r\n")
    assert source is not None
    assert (source.path, source.text, source.newline) == ("train.py", "import torch\r\n", "\r\n")


def test_a_file_that_never_does_is_not() -> None:
    assert decode("train.py", b"import json\n") is None
    assert decode("train.py", "# na\u00efve\n".encode()) is None
    assert decode("train.py", b"# coding: latin-1\n# na\xefve\n") is None


@given(st.binary(max_size=60) | st.sampled_from([b"# coding: klingon\n", b"#\n#coding=x\n", b"#\n#\n#coding=x\n"]))
def test_the_gate_lets_nothing_pass_that_is_no_text(data: bytes) -> None:
    try:
        decode_source("x.py", data)
    except UnreadableSource:
        with pytest.raises(UnreadableSource):
            decode("x.py", data)
    else:
        decode("x.py", data)


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "data.py"
    path.write_bytes(b"#" * SIZE_LIMIT)
    assert len(read_bytes(path)) == SIZE_LIMIT
    path.write_bytes(b"#" * (SIZE_LIMIT + 1))
    with pytest.raises(UnreadableSource, match="5 MB"):
        read_bytes(path)


def test_a_file_that_went_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no such file"):
        read_bytes(tmp_path / "gone.py")
