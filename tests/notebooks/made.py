"""Notebooks as Jupyter, Colab, VS Code and other tools write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

PYTHON: Mapping[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "version": "3.12.1"},
}


def code(source: str, *, number: int = 1, listed: bool = True, **more: Any) -> dict[str, Any]:
    """A code cell. Its source is a list of lines, as Jupyter writes it, or one string, as some tools do."""
    return {
        "cell_type": "code",
        "execution_count": number,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True) if listed else source,
        **more,
    }


def text(source: str, number: int = 1) -> dict[str, Any]:
    """A cell of Markdown."""
    return {"cell_type": "markdown", "id": f"text-{number}", "metadata": {}, "source": [source]}


def document(cells: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any] = PYTHON) -> dict[str, Any]:
    """A notebook as JSON means it."""
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def notebook(*sources: str, metadata: Mapping[str, Any] = PYTHON) -> str:
    """The text of a notebook as Jupyter writes it, with these code cells."""
    cells = [code(source, number=number) for number, source in enumerate(sources, 1)]
    return json.dumps(document(cells, metadata), indent=1, ensure_ascii=False) + "\n"
