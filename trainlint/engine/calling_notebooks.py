"""Lines of notebooks in what is said of the files that they call: counted in cells, as in the notebook's own findings.

Linking counts them in the joined text of the cells. A notebook is read again where a finding names it, which few do.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trainlint.engine.read import read_bytes
from trainlint.finding import Finding, RelatedPlace
from trainlint.notebooks import is_notebook
from trainlint.notebooks.places import related_in_cells, step_in_cells
from trainlint.source import UnreadableSource, decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.notebooks.cells import Cells


class CallingNotebooks:
    """The notebooks that findings of other files name, each read once. Their paths start at the working directory."""

    def __init__(self) -> None:
        self._known: dict[str, Cells | None] = {}

    def finding(self, finding: Finding) -> Finding:
        """A finding as it is reported."""
        return replace(
            finding, chain=tuple(map(self.step, finding.chain)), related=tuple(map(self._related, finding.related))
        )

    def step(self, step: str) -> str:
        """A step of a chain of calls as it is reported."""
        path = step.partition(": ")[0].rpartition(":")[0]
        cells = self._cells(path) if is_notebook(path) else None
        return step if cells is None else step_in_cells(step, path, cells)

    def _related(self, place: RelatedPlace) -> RelatedPlace:
        cells = self._cells(place.path) if place.cell is None and is_notebook(place.path) else None
        return place if cells is None else related_in_cells(place, place.path, cells)

    def _cells(self, path: str) -> Cells | None:
        if path not in self._known:
            try:
                self._known[path] = decode_source(path, read_bytes(Path(path))).cells
            except UnreadableSource:
                self._known[path] = None
        return self._known[path]
