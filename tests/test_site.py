"""The documentation as a site: it builds strictly, fetches nothing, and its links work there as in the repository."""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from trainlint.packs import load_rules

PROJECT = Path(__file__).resolve().parent.parent
HOME = "https://github.com/trainlint/trainlint"


def load() -> ModuleType:
    """The hook, which is no part of any package."""
    spec = importlib.util.spec_from_file_location("site_hook", PROJECT / "docs/site_hook.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook = load()


@pytest.mark.parametrize(
    ("source", "link", "expected"),
    [
        ("why.md", "../README.md#configure-it", f"{HOME}/blob/main/README.md#configure-it"),
        ("rules/x.md", "../../CONTRIBUTING.md", f"{HOME}/blob/main/CONTRIBUTING.md"),
        ("why.md", "probe.md", "probe.md"),
        ("rules/x.md", "../probe.md#window", "../probe.md#window"),
        ("why.md", "https://example.org/../README.md", "https://example.org/../README.md"),
        ("why.md", "#anchor", "#anchor"),
    ],
)
def test_links_that_leave_the_pages_lead_to_the_repository(source: str, link: str, expected: str) -> None:
    assert hook.rewritten(f"see [it]({link}).", source, HOME) == f"see [it]({expected})."


def test_a_link_to_a_file_that_does_not_exist_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mkdocs.hooks"):
        hook.rewritten("[gone](../no/such.md)", "why.md", HOME)
    assert "why.md links to ../no/such.md, which does not exist" in caplog.text


@pytest.mark.slow
def test_the_site_builds_strictly_and_asks_nobody_else(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material builds the site")
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=PROJECT,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    for name, text in pages.items():
        # What a browser fetches by itself, as links that are followed by hand are not.
        fetched = re.findall(r"<(?:script|img|link)[^>]*?(?:src|href)=[\"']?(https?:[^\"' >]*)", text)
        assert [address for address in fetched if "rel=canonical" not in address] == [], name
        assert 'data-md-component="source"' not in text, name  # it would ask GitHub for stars
    found = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    listed = "".join(entry["text"] for entry in found if entry["location"].startswith("all-rules/"))
    for rule in load_rules():
        if rule.__module__.startswith("trainlint_rules."):
            assert f"rules/{rule.name}/index.html" in pages
            assert rule.name in listed
