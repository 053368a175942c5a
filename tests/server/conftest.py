"""The real server, in a process of its own, driven over its standard streams as an editor does it."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import patch

import pytest
import pytest_asyncio
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from tests import forked
from tests.engine.linked_project import write_project
from tests.server.editor import Editor


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A training whose helper waits: that only the files together show it."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text('[tool.trainlint]\ntarget-torch = ">=2.4"\n')
    return write_project(tmp_path / "project")


@pytest_asyncio.fixture
async def editor(project: Path) -> AsyncIterator[Editor]:
    """An editor that has the project open and can do all that VS Code can."""
    async for editor in started(client_capabilities("visual_studio_code"), [project]):
        yield editor


async def started(
    capabilities: lsp.ClientCapabilities, folders: list[Path], *options: str, environment: dict[str, str] | None = None
) -> AsyncIterator[Editor]:
    """A server that some editor has started."""
    variables = {**os.environ, **(environment or {})}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    forks = forked.fits(variables)
    client = await (connected if forks else spawned)(["server", *options], variables)
    opened = [lsp.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    params = lsp.InitializeParams(capabilities=capabilities, workspace_folders=opened)
    answer = await client.initialize_session(params)
    yield Editor(client, answer.capabilities)
    await client.shutdown_session()
    await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp declares no type
    if forks:
        assert forked.forks().wait(60) == 0


async def connected(arguments: list[str], variables: dict[str, str]) -> LanguageClient:
    """A client of a server that is a fork."""
    client = make_test_lsp_client()
    ours, theirs = socket.socketpair()
    with theirs, Path(os.devnull).open("wb") as nowhere:
        streams = [theirs.fileno(), theirs.fileno(), nowhere.fileno()]
        forked.forks().start(arguments, Path.cwd(), variables, streams)
    connection = asyncio.open_connection(sock=ours)
    with patch("asyncio.open_connection", lambda host, port: connection):
        await client.start_tcp("the process that was started", 0)
    return client


async def spawned(arguments: list[str], variables: dict[str, str]) -> LanguageClient:
    """A client of a server that Python is started for."""
    config = ClientServerConfig([sys.executable, "-m", "trainlint", *arguments], server_env=variables)
    client = await config.start()
    assert isinstance(client, LanguageClient)
    return client
