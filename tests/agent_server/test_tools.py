"""The real server in a process of its own, asked by the client of the protocol's SDK over standard streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from mcp import Client, StdioServerParameters

T = TypeVar("T")
TRAIN = """\
import torch


def train(model, loader, optimizer, device):
    for inputs in loader:
        positions = torch.arange(inputs.shape[1]).to(inputs.device)
        loss = model(inputs.to(device), positions).mean()
        loss.backward()
        optimizer.step()
        print(loss.item())


train(torch.nn.Linear(8, 8).cuda(), [torch.ones(2, 8).cuda()], None, "cuda")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.trainlint]\ntarget-torch = ">=2.4"\n')
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def asked(project: Path, question: Callable[[Client], Awaitable[T]], *options: str) -> T:
    """What a client learns from a server that it starts in the project."""

    async def conversation() -> T:
        program = StdioServerParameters(command=sys.executable, args=["-m", "trainlint", "mcp", *options], cwd=project)
        async with Client(program) as client:
            return await question(client)

    return asyncio.run(conversation())


async def told(client: Client, tool: str, **arguments: object) -> tuple[bool, str]:
    """Whether the tool failed, and what it says."""
    result = await client.call_tool(tool, arguments)
    assert result.content[0].type == "text"
    return bool(result.is_error), result.content[0].text


def test_an_agent_finds_a_defect_reads_its_fix_and_writes_it(project: Path) -> None:
    async def session(client: Client) -> None:
        failed, findings = await told(client, "check", paths=["train.py"], rules=["TRN207"])
        assert not failed
        place, rule, identifier = findings.split()[:3]
        assert (place, rule) == ("train.py:6", "TRN207")

        _, diff = await told(client, "fix", id=identifier.rstrip(":"), paths=["train.py"])
        assert "+        positions = torch.arange(inputs.shape[1], device=inputs.device)" in diff
        assert (project / "train.py").read_text() == TRAIN

        failed, _ = await told(client, "apply_fix", id=identifier.rstrip(":"), paths=["train.py"])
        assert not failed
        assert "device=inputs.device" in (project / "train.py").read_text()

        _, left = await told(client, "check", paths=["train.py"], rules=["TRN207"])
        assert "All clear" in left

    asked(project, session)


def test_what_cannot_be_answered_is_an_error_with_the_sentence_of_the_command(project: Path) -> None:
    async def session(client: Client) -> list[tuple[bool, str]]:
        return [
            await told(client, "why", place="missing.py:3"),
            await told(client, "check", paths=["--exit-zero"]),
            await told(client, "plan", config="package.module:build"),
            await told(client, "explain", rule="TRN999"),
        ]

    answers = asked(project, session)
    assert all(failed for failed, _ in answers)
    why, check, plan, explain = (text for _, text in answers)
    assert "missing.py" in why
    assert "--exit-zero" in check
    assert "runs nothing" in plan
    assert 'there is no rule "TRN999"' in explain


def test_read_only_offers_no_tool_that_runs_code_or_writes(project: Path) -> None:
    async def names(client: Client) -> tuple[set[str], set[str]]:
        tools = (await client.list_tools()).tools
        harmless = {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint}
        return {tool.name for tool in tools}, harmless

    everything, harmless = asked(project, names)
    left, harmless_left = asked(project, names, "--read-only")
    assert everything - left == {"apply_fix", "probe", "prove", "judge_by_run"}
    assert left == harmless == harmless_left


def test_descriptions_of_all_tools_take_at_most_3000_tokens(project: Path) -> None:
    """Each conversation pays for them. A token of JSON has about four characters."""

    async def characters(client: Client) -> int:
        return sum(len(tool.model_dump_json(exclude_none=True)) for tool in (await client.list_tools()).tools)

    assert asked(project, characters) < 12_000


RUNS = """\
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 4).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(12):
    positions = torch.arange(4.0).to(torch.device("cuda"))
    loss = model(torch.ones(2, 4, device="cuda") + positions).mean()
    loss.backward()
    optimizer.step()
    loss.item()
"""


@pytest.mark.slow
def test_a_claim_is_confirmed_and_a_change_proved_by_runs(project: Path) -> None:
    (project / "train.py").write_text(RUNS)
    claims = [{"path": "train.py", "line": line, "kind": "wait"} for line in (11, 9)]

    async def session(client: Client) -> None:
        failed, answers = await told(client, "judge_by_run", claims=claims, run="train.py", steps=5)
        assert not failed
        assert "confirmed: train.py:11 wait: 1 wait a step" in answers
        assert "refuted: train.py:9" in answers

        failed, proof = await told(client, "prove", script="train.py", fixes="TRN207", steps=5)
        assert not failed
        assert "bit-identical" in proof
        assert (project / "train.py").read_text() == RUNS

        failed, report = await told(client, "probe", script="train.py", steps=5)
        assert not failed
        assert "train.py:11" in report

    asked(project, session)
