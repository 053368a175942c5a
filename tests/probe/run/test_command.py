"""Secrets on a command line are not shown."""

from __future__ import annotations

import pytest

from trainlint_probe.command import without_secrets


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("python train.py --lr 0.1", "python train.py --lr 0.1"),
        ("train.py --hub_token hf_abc --lr 1", "train.py --hub_token ... --lr 1"),
        ("train.py --wandb-api-key=abc", "train.py --wandb-api-key=..."),
        ("train.py logger.password=abc lr=1", "train.py logger.password=... lr=1"),
        ("train.py --use-auth-token --lr 1", "train.py --use-auth-token --lr 1"),
        ("train.py --data s3://me:secret@host/path", "train.py --data s3://me:...@host/path"),
    ],
)
def test_values_that_look_secret_are_left_out(words: str, shown: str) -> None:
    assert " ".join(without_secrets(words.split())) == shown
