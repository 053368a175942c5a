"""What MkDocs does besides: links from a page to files outside of docs/ lead to the repository.

On the repository's own pages such a link works as it is; the site has only what is in docs/.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?\)")
WIDE = ("all-rules.md", "accuracy.md", "performance.md")
"""Pages whose tables need the width that their table of contents would take."""
LOG = logging.getLogger("mkdocs.hooks")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_unused: object) -> str:
    """The page with links out of docs/ as addresses; a link to a file that does not exist fails a strict build."""
    if page.file.src_uri in WIDE:
        page.meta["hide"] = ["toc"]
    return rewritten(markdown, page.file.src_uri, config.extra["repository"])


def rewritten(markdown: str, source: str, address: str) -> str:
    """The Markdown of the page `source` (below docs/), with links that leave docs/ below `address`."""

    def replaced(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(source), link[2]))
        if target.startswith("docs/"):
            return link[0]
        if target.startswith("..") or not (REPOSITORY / target).exists():
            LOG.warning("%s links to %s, which does not exist", source, link[2])
            return link[0]
        return f"{link[1]}{address.rstrip('/')}/blob/main/{target}{link[3] or ''})"

    return LINK.sub(replaced, markdown)
