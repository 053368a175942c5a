"""For people with a browser: a report as one page, which needs no network, runs no script, and fits phones."""

from __future__ import annotations

import io

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>TITLE</title>
<style>
body {{ margin: 1.5rem; color: {foreground}; background: {background}; }}
pre {{ font: .9rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }}
{stylesheet}
</style>
</head>
<body><pre>{code}</pre></body>
</html>
"""
"""Nothing may be fetched and nothing may run, whatever a user's file holds."""


def page(report: str, title: str = "trainlint probe") -> str:
    """The page that shows a report as a terminal does, its colours included. The title is not escaped."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=io.StringIO(), record=True, legacy_windows=False)
    console.print(Text.from_ansi(report), soft_wrap=True)
    return console.export_html(code_format=_PAGE.replace("TITLE", title))
