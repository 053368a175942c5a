"""`trainlint server`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.check import configurations_of
from trainlint.cli.console import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.cache.cache import Cache

_PACKAGES = frozenset({"pygls", "lsprotocol"})
"""What the extra `lsp` brings."""


def server(options: Namespace) -> int:
    """Talk with an editor until it leaves. Raises UsageError where that cannot begin."""
    try:
        from trainlint.server.language_server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        from trainlint.installation.install_command import install_command

        raise UsageError(f"the language server needs pygls: run `{install_command('pygls')}`") from error
    configurations = configurations_of(options)

    def cache(root: Path) -> Cache | None:
        try:
            return cache_for(options, [root])
        except UsageError as error:
            console.note(f"trainlint: {error}")
            return None

    serve(configurations, installed_rules(options.plugin), cache)
    return 0
