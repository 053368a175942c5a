"""What configuration files and launch scripts set options to."""

from __future__ import annotations

import pytest

from trainlint.analysis.project.shipped_values import NAMES, PASSED, shipped_values

LONG = "package.with_many.modules.below.it.somewhere.further_down.Tower"  # longer than other values may be


@pytest.mark.parametrize(
    ("suffix", "text", "name", "values"),
    [
        (".yaml", "model:\n  use_ema: true\n", "use_ema", {"True"}),
        (".yaml", "loss: hinge # or mse\n", "loss", {"'hinge'"}),
        (".yaml", "- rate: 1e-4\n- rate: 3\n", "rate", {"0.0001", "3"}),
        (
            ".yaml",
            "loss: distance_of_several_outputs_to_one_target\n",
            "loss",
            {"'distance_of_several_outputs_to_one_target'"},
        ),
        (".yaml", "seed: null\nlist: [1, 2]\n", "seed", {"None"}),
        (".yaml", "list: [1, 2]\n", "list", {PASSED}),
        (".yaml", f"- _target_: {LONG}\n", "_target_", {repr(LONG)}),
        (".yaml", f"name: {LONG}\n", "name", {PASSED}),
        (".toml", 'use_ema = false\nname = "a b"\n', "use_ema", {"False"}),
        (".json", '{"use_ema": true, "n": {"n": 3}}', "--use_ema", {"True"}),
        (".sh", "python train.py --use-ema --loss hinge \\\n  --rate=3\n", "--use_ema", {"True"}),
        (".sh", "python train.py --use-ema --loss hinge \\\n  --rate=3\n", "--loss", {"'hinge'"}),
        (".sh", "python train.py --loss ${LOSS}\n", "--loss", {PASSED}),
        (".sh", "python train.py model.use_ema=true\n", "--use_ema", {"True"}),
        (".sh", "# --use-ema\npython train.py\n", "--use_ema", set()),
        (".md", "```sh\npython train.py --use-ema\n```\n", "--use_ema", {"True"}),
        (".sh", "srun python a/train.py --n-workers 8 \\\n  --rate=3\n", "--rate", {"3"}),
        (".json", '{"rate": 4}', "--rate", {"4"}),
        (".md", "`--use-ema` switches it on.\n", "--use_ema", set()),
        (".md", "```\nx\n```\n--use-ema\n```\ny\n```\n", "--use_ema", set()),
    ],
)
def test_values(suffix: str, text: str, name: str, values: set[str]) -> None:
    assert shipped_values([(suffix, text)]).get(name, frozenset()) == values


@pytest.mark.parametrize(
    ("suffix", "text", "names"),
    [
        (".yaml", "nets: [Small, Large]\n", {"nets", "Small", "Large"}),
        (".yaml", "net:\n  _target_: a_long.path.to.a_module.with_many_parts.Small\n", {"Small", "_target_"}),
        (".json", '{"net": "Small"}', {"net", "Small"}),
        (".sh", "python train.py --net Small\n", {"Small"}),
        (".md", "```\npython train.py --net Small\n```\n", {"Small"}),
    ],
)
def test_names(suffix: str, text: str, names: set[str]) -> None:
    assert names <= shipped_values([(suffix, text)])[NAMES]


def test_what_a_page_shows_besides_commands_names_nothing() -> None:
    assert "Small" not in shipped_values([(".md", "```\nnet: Small\n```\nUse Small.\n")]).get(NAMES, ())


def test_all_files_have_a_say() -> None:
    found = shipped_values([(".yaml", "use_ema: true"), (".yml", "use_ema: false")])
    assert found["use_ema"] == {"True", "False"}
