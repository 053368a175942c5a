"""`trainlint plan` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainlint.cli import main
from trainlint.cli.console import UsageError
from trainlint_probe.planned.command import plan

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "intermediate_size": 11008,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
    "hidden_act": "silu",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    return path


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert plan([*arguments, "--output-format", "json"]) in (0, 1)
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def strategies(found: dict[str, object]) -> dict[str, dict[str, object]]:
    listed = found["strategies"]
    assert isinstance(listed, list)
    return {item["strategy"]: item for item in listed}


def test_a_configuration_is_counted(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, str(config), "--sequence", "2048", "--gpus", "8", "--gpu", "h100")
    model = found["model"]
    assert isinstance(model, dict)
    assert model["parameters"] == pytest.approx(6.738e9, rel=0.001)
    assert not strategies(found)["ddp"]["fits"]
    assert strategies(found)["fsdp2"]["fits"]
    assert found["recommended"] == "fsdp2"


def test_adapters_leave_the_frozen_weights_without_states(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = strategies(planned(capsys, str(config), "--sequence", "512"))["single"]["memory"]
    adapted = strategies(planned(capsys, str(config), "--sequence", "512", "--lora", "16"))["single"]["memory"]
    assert isinstance(whole, dict)
    assert isinstance(adapted, dict)
    assert adapted["weights"] > whole["weights"]  # the adapters come on top
    assert adapted["optimizer"] < whole["optimizer"] / 100


def test_the_largest_batch_fits_and_one_more_does_not(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (str(config), "--sequence", "1024", "--gpus", "8", "--gpu", "a100-80gb", "--strategy", "fsdp2")
    largest = strategies(planned(capsys, *common))["fsdp2"]["largest_batch"]
    assert isinstance(largest, int)
    assert strategies(planned(capsys, *common, "--batch", str(largest)))["fsdp2"]["fits"]
    assert not strategies(planned(capsys, *common, "--batch", str(largest + 1)))["fsdp2"]["fits"]


def test_the_terminal_says_what_to_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(["--params", "7e9", "--gpus", "8", "--gpu", "a100-80gb"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Take FSDP2" in shown
    assert "does not fit" in shown  # DDP
    assert "Activations are not in this figure" in shown


def test_where_nothing_fits_the_exit_code_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(["--params", "70e9", "--gpus", "2", "--gpu", "rtx-4090"]) == 1
    assert "Nothing fits as asked" in capsys.readouterr().out


def test_where_nothing_fits_the_cheapest_that_does_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan([str(config), "--sequence", "2048", "--gpu", "rtx-4090"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "The cheapest that fits is --checkpointing full --precision mixed --lora 16, with one GPU" in shown
    assert "--lora 16: trains adapters beside frozen weights" in shown
    assert "--optimizer adamw-8bit 66.8 offload, does not fit" in shown


def test_where_no_change_is_enough_the_number_of_gpus_that_is(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (str(config), "--sequence", "2048", "--gpu-memory", "8GB")
    assert plan([*common, "--gpus", "2"]) == 1
    assert "With these changes, 8 such GPUs hold it with room." in " ".join(capsys.readouterr().out.split())
    changes = ("--checkpointing", "full", "--precision", "mixed", "--lora", "16")
    assert plan([*common, *changes, "--gpus", "4"]) == 0
    assert "That is tight" in capsys.readouterr().out
    assert plan([*common, *changes, "--gpus", "8"]) == 0
    assert "That is tight" not in capsys.readouterr().out


def test_what_is_offered_fits_when_it_is_typed(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (str(config), "--sequence", "2048", "--gpu", "rtx-4090")
    found = planned(capsys, *common)["instead"]
    assert isinstance(found, dict)
    cheapest = found["cheapest"]
    assert cheapest["fits"]
    again = strategies(planned(capsys, *common, *cheapest["flags"].split()))[cheapest["strategy"]]
    assert again["fits"]
    assert isinstance(again["memory"], dict)
    assert again["memory"]["total"] == cheapest["total"]


def test_what_a_file_leaves_open_stands_below_the_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "model_type": "of_my_own"}), encoding="utf-8")
    plan([str(path), "--sequence", "2048"])
    assert "note: model_type 'of_my_own' is not known" in " ".join(capsys.readouterr().out.split())


def test_the_counted_parts_are_shown(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan([str(config), "--sequence", "2048"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "6.74 B parameters" in shown
    assert "Counted: embeddings 131 M, attention 2.15 B, MLP 4.33 B, norms 266 k, head 131 M." in shown


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_table_fits_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    plan(["--params", "7e9", "--gpus", "8"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("  DDP ")]
    assert all(len(line) <= max(width, 72) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the model in one way"),
        (["--params", "7b", "--layers", "2"], "name the model in one way"),
        (["--layers", "2", "--hidden", "64"], "needs --heads, --vocabulary, --sequence as well"),
        (["--params", "7b", "--gpus", "3", "--nodes", "2"], "cannot be spread evenly"),
        (["--params", "7b", "--strategy", "ddp"], "means nothing on this cluster"),
        (["--params", "7b", "--lora", "8"], "--lora needs the layers' numbers"),
        (["--params", "7b", "--gated", "--sequence", "9"], "leave out --gated and --sequence"),
        (["--params", "7b", "--input", "3"], "--input is for a model that is named as package.module:callable"),
        (["nowhere.json"], "nowhere.json cannot be read (no such file or directory)"),
        (["model.py"], "is neither a config.json nor a callable"),
        (["json:dumps", "--lora", "8"], "let the callable build them in"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        plan(arguments)
    assert said in str(raised.value)
    assert len(raised.value.args) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--params", "-3"], "expected a number of parameters such as 7.5e9"),
        (["--params", "7b", "--gpu", "abacus"], "no figures are known of 'abacus'"),
        (["--params", "7b", "--gpus", "0"], "expected a whole number from 1 on"),
        (["--params", "7b", "--mfu", "1.5"], "expected a share above 0 and up to 1"),
        (["--params", "7b", "--gpu-memory", "lots"], "expected an amount of memory such as 80GB"),
        (["--params", "7b", "--optimizer", "sofia"], "expected one of sgd, momentum, adamw"),
        (["--params", "7b", "--precision", "int3"], "expected one of fp32, autocast, mixed, bf16"),
        (["m:f", "--input", "3by4"], "expected the shape of one sample"),
    ],
)
def test_bad_values_are_refused_by_name(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        plan(arguments)
    assert raised.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "holds no JSON object"),
        ("{", "is no JSON"),
        (json.dumps({**LLAMA, "num_hidden_layers": 2**31 - 1, "vocab_size": 2**31 - 1}), "parameters; check its sizes"),
        ('{"hidden_size": 8}', "does not give num_hidden_layers, num_attention_heads, vocab_size"),
        (json.dumps({**LLAMA, "num_local_experts": 8}), "mixture of experts"),
        (json.dumps({**LLAMA, "max_position_embeddings": None}), "give it by --sequence"),
        (json.dumps({**LLAMA, "hidden_size": -1}), "gives hidden_size as -1"),
    ],
)
def test_a_configuration_that_does_not_do(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        plan([str(path)])
    assert said in str(raised.value)


MODELS = """
import torch
from torch import nn

print("hello from the user's code")


def plain():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


def frozen():
    model = plain()
    model[0].requires_grad_(False)
    return model


def reads():
    return nn.Linear(int(torch.ones(3).sum().item()), 2)


def raises():
    raise RuntimeError("no licence")


def number():
    return 7
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    (tmp_path / "my_models.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("models")
def test_a_callable_is_built_without_memory(capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, "my_models:frozen", "--input", "16", "--precision", "fp32")
    assert found["model"] == {
        "name": "my_models:frozen",
        "parameters": 676,
        "trained": 132,
        "passed_by_a_token": 676,
        "parts": {},
        "notes": [],
        "activations_from": "trace",
    }


@pytest.mark.slow
@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("my_models:reads", "could not be built without memory for its weights"),
        ("my_models:raises", "RuntimeError: no licence"),
        ("my_models:number", "returned a int, not a torch.nn.Module"),
        ("my_models:nothing", "cannot be imported (AttributeError"),
        ("no_such_module:build", "cannot be imported (ModuleNotFoundError"),
        ("my_models:plain", "the forward could not be traced"),
    ],
)
def test_a_callable_that_does_not_do(target: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        plan([target, "--input", "5"])
    assert said in str(raised.value)


def test_the_page_names_every_strategy(tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    assert (
        plan(["--params", "7b", "--gpus", "16", "--nodes", "2", "--output-format", "html", "--output-file", str(path)])
        == 0
    )
    text = path.read_text(encoding="utf-8")
    for title in ("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3", "FSDP2", "FSDP2 inside nodes", "optimizer on the CPU"):
        assert title in text
    assert "<script" not in text


def test_it_is_a_command_of_trainlint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--params", "350M"]) == 0
    assert "Take one GPU" in capsys.readouterr().out
