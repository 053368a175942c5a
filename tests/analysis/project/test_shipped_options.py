"""Which options configuration files and launch scripts turn on."""

from __future__ import annotations

import pytest

from trainlint.analysis.project.shipped_options import turned_on

SCRIPT = "python train.py --use-ema --loss hinge \\\n  --rate=3\n"


@pytest.mark.parametrize(
    ("suffix", "text", "name"),
    [
        (".yaml", "model:\n  use_ema: true\n", "use_ema"),
        (".yaml", "loss: hinge # or mse\n", "loss"),
        (".yaml", "- rate: 1e-4\n- rate: 3\n", "rate"),
        (".yaml", "list: [1, 2]\n", "list"),
        (".yaml", "name: package.with_many.modules.below.it.somewhere.further_down.Tower\n", "name"),
        (".json", '{"use_ema": true, "n": {"n": 3}}', "use_ema"),
        (".json", '{"rate": 4}', "rate"),
        (".sh", SCRIPT, "use_ema"),
        (".sh", SCRIPT, "loss"),
        (".sh", SCRIPT, "rate"),
        (".sh", "python train.py --loss ${LOSS}\n", "loss"),
        (".sh", "python train.py model.use_ema=true\n", "use_ema"),
        (".sh", "srun python a/train.py --n-workers 8 \\\n  --rate=3\n", "rate"),
        (".md", "```sh\npython train.py --use-ema\n```\n", "use_ema"),
    ],
)
def test_what_is_set_is_on(suffix: str, text: str, name: str) -> None:
    assert name in turned_on([(suffix, text)])


@pytest.mark.parametrize(
    ("suffix", "text", "name"),
    [
        (".yaml", "seed: null\nlist: [1, 2]\n", "seed"),
        (".yaml", "rate: 0.0\n", "rate"),
        (".toml", 'use_ema = false\nname = "a b"\n', "use_ema"),
        (".sh", "python train.py --use-ema=False\n", "use_ema"),
        (".sh", "# --use-ema\npython train.py\n", "use_ema"),
        (".md", "`--use-ema` switches it on.\n", "use_ema"),
        (".md", "```\nx\n```\n--use-ema\n```\ny\n```\n", "use_ema"),
    ],
)
def test_what_is_off_or_no_setting_is_not_on(suffix: str, text: str, name: str) -> None:
    assert name not in turned_on([(suffix, text)])


def test_all_files_have_a_say() -> None:
    assert "use_ema" in turned_on([(".yaml", "use_ema: true"), (".yml", "use_ema: false")])
