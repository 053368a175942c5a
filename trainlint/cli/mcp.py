"""`trainlint mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.cli.console import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

_PACKAGES = frozenset({"mcp", "pydantic"})
"""What the extra `mcp` brings."""


def mcp(options: Namespace) -> int:
    """Answer an agent until it leaves. Raises UsageError where that cannot begin."""
    try:
        from trainlint.agent_server.serving import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        from trainlint.installation.install_command import install_command

        raise UsageError(f"the server for agents needs mcp: run `{install_command('mcp>=2')}`") from error
    serve(read_only=options.read_only)
    return 0
