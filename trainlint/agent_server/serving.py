"""The tools that the MCP server offers, and the server itself, on standard input and output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from trainlint import __version__
from trainlint.agent_server import commands
from trainlint.agent_server.running import answer_of

SECONDS = 120.0
"""A tool that only reads may take so long."""
LONGEST_RUN = 600
"""Seconds that a run of the user's script may take, and what is added to start and to compare."""
_MARGIN = 60.0
_ANSWERED = frozenset({0, 1})
"""Exit codes of an answer: nothing found, something found. All others say what went wrong."""

INSTRUCTIONS = """\
trainlint finds what makes PyTorch training slow, wasteful or wrong, and proves it by a run on a simulated GPU.
Read the training code yourself, then let trainlint answer: `judge` your claims, `check` for what you missed, `why` for
one line. Edit, or `fix` one finding. End with `prove`: it says whether the change took waits away and altered nothing.
`probe`, `prove` and `judge` with `run` execute the user's script; no other tool runs or imports code of the project."""

Paths = Annotated[list[str], Field(description="files and directories; none means the working directory")]
Device = Annotated[
    str | None,
    Field(description="auto, cuda, cpu, or simulated:NAME such as simulated:a100-80gb; default: a GPU, else simulated"),
]
Steps = Annotated[int | None, Field(ge=1, le=10_000, description="steps to measure")]
Script = Annotated[str, Field(description="the training script, as in train.py")]
Arguments = Annotated[list[str], Field(description="the script's own arguments")]
Seconds = Annotated[int, Field(ge=1, le=LONGEST_RUN, description="give up after so many seconds")]


class Claim(BaseModel):
    """What somebody says about one line."""

    path: str
    line: Annotated[int, Field(ge=1)]
    kind: Annotated[str, Field(description="such as wait, copy, collective, or a rule such as TRN201")]
    note: str = ""


async def check(
    paths: Paths = [],  # noqa: B006 - the SDK shows defaults to clients; nobody changes the list
    rules: Annotated[list[str], Field(description="only these, such as TRN201 or TRN2")] = [],  # noqa: B006 - as above
    all_levels: Annotated[bool, Field(description="also what is only possible")] = False,
    diff_base: Annotated[str | None, Field(description="only lines changed since this commit or branch")] = None,
    max_findings: Annotated[int, Field(ge=1, le=500)] = 30,
) -> str:
    """List what makes training slow, wasteful or wrong: place, rule, id, chain from the training loop, fix."""
    words = commands.check_words(paths, rules, all_levels=all_levels, diff_base=diff_base, max_findings=max_findings)
    return await _answered(words)


async def why(place: Annotated[str, Field(description="FILE, FILE:LINE or FILE:FIRST-LAST")]) -> str:
    """Say what is known of a line: how often it runs, by which calls, where its values lie, why rules are silent."""
    return await _answered(commands.why_words(place))


async def explain(rule: Annotated[str, Field(description="a code such as TRN201, or a name")]) -> str:
    """Show the page of a rule: what it finds, what it costs, what to write instead."""
    return await _answered(commands.explain_words(rule))


async def advise(paths: Paths = []) -> str:  # noqa: B006 - the SDK shows defaults to clients
    """List what to do first, with the gain that is known, the effort, and what to check afterwards."""
    return await _answered(commands.advise_words(paths))


async def plan(
    config: Annotated[str | None, Field(description="a config.json of transformers")] = None,
    params: Annotated[str | None, Field(description="or the model's size: 7b, 7.5e9")] = None,
    gpus: Annotated[int, Field(ge=1)] = 1,
    gpu: Annotated[str | None, Field(description="such as a100-80gb, h100")] = None,
    batch: int | None = None,
    sequence: int | None = None,
    precision: Annotated[str | None, Field(description="fp32, autocast, mixed or bf16")] = None,
    optimizer: Annotated[str | None, Field(description="such as adamw, sgd, adafactor")] = None,
) -> str:
    """Say what a training needs of each GPU, and which sharding fits."""
    try:
        words = commands.plan_words(
            config=config,
            params=params,
            gpus=gpus,
            gpu=gpu,
            batch=batch,
            sequence=sequence,
            precision=precision,
            optimizer=optimizer,
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    return await _answered(words)


async def fix(
    id: Annotated[str, Field(description="of one finding, as `check` shows it")],
    paths: Paths = [],  # noqa: B006 - the SDK shows defaults to clients
) -> str:
    """Show the fix of one finding as a diff. Nothing is written."""
    return await _answered(commands.fix_words(id, paths, write=False))


async def apply_fix(
    id: Annotated[str, Field(description="of one finding, as `check` shows it")],
    paths: Paths = [],  # noqa: B006 - the SDK shows defaults to clients
) -> str:
    """Write the fix of one finding to its file. Look at `fix` first: a fix may change what is computed."""
    return await _answered(commands.fix_words(id, paths, write=True))


async def judge(claims: list[Claim]) -> str:
    """Answer claims about lines from the code alone, one by one: likely, refuted, unknown, each with its reason."""
    return await _answered(commands.judge_words(), text=_lines(claims))


async def judge_by_run(
    claims: list[Claim],
    run: Annotated[str, Field(description='the script and its arguments, as in "train.py --batch 4"')],
    steps: Steps = None,
    device: Annotated[str | None, Field(description="simulated:NAME, as simulated:a100-80gb")] = None,
    seconds: Seconds = LONGEST_RUN,
) -> str:
    """Run the user's script and answer claims by it: confirmed with count and price, refuted, not reached."""
    return await _answered(
        commands.judge_words(run=run, steps=steps, device=device, timeout=seconds), seconds + _MARGIN, _lines(claims)
    )


async def probe(
    script: Script,
    arguments: Arguments = [],  # noqa: B006 - the SDK shows defaults to clients
    steps: Steps = None,
    device: Device = None,
    seconds: Seconds = LONGEST_RUN,
) -> str:
    """Run the user's script for some steps and count waits, copies and launches of each step by line."""
    words = commands.run_words("probe", script, arguments, steps=steps, device=device, timeout=seconds)
    return await _answered(words, seconds + _MARGIN)


async def prove(
    script: Script,
    arguments: Arguments = [],  # noqa: B006 - the SDK shows defaults to clients
    against: Annotated[str | None, Field(description="compare with this commit, as in HEAD")] = None,
    fixes: Annotated[str | None, Field(description="or with the fixes of this rule, or of `all`")] = None,
    steps: Steps = None,
    device: Device = None,
    seconds: Seconds = LONGEST_RUN,
) -> str:
    """Run the user's script before and after a change: what became of waits, copies, memory, price, and of the losses
    and parameters, bit for bit. Without `against` and `fixes`, the change is the safe fixes that trainlint offers.
    """
    words = commands.run_words(
        "prove", script, arguments, against=against, fixes=fixes, steps=steps, device=device, timeout=seconds
    )
    return await _answered(words, 2 * seconds + _MARGIN)


_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
_RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_TOOLS = (
    *((each, _READS) for each in (check, why, explain, advise, plan, fix, judge)),
    (apply_fix, _WRITES),
    *((each, _RUNS) for each in (probe, prove, judge_by_run)),
)


def server_of(*, read_only: bool) -> MCPServer:
    """The server; with `read_only` without the tools that write files or run the user's code."""
    server = MCPServer("trainlint", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    for tool, hints in _TOOLS:
        if hints is _READS or not read_only:
            server.add_tool(tool, annotations=hints, structured_output=False)
    return server


def serve(*, read_only: bool) -> None:
    """Answer one client until it leaves."""
    server_of(read_only=read_only).run("stdio")


def _lines(claims: Sequence[Claim]) -> str:
    return "".join(json.dumps(claim.model_dump()) + "\n" for claim in claims)


async def _answered(words: Sequence[str], seconds: float = SECONDS, text: str = "") -> str:
    """What trainlint answers. Raises ToolError with its sentences where it could not."""
    answer = await answer_of(words, seconds, text)
    if answer.code not in _ANSWERED:
        raise ToolError(answer.text or f"`trainlint {words[0]}` ended with {answer.code} and said nothing")
    return answer.text
