"""Makes the summary of one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.effects.default_device import sets_default_device
from trainlint.analysis.programs.old_names.old_amp import tests_for_old_scaler
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.syntax.taken_names import taken_names

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def summarise(file: SemanticModel) -> Summary:
    """What other files need to know of one file."""
    return Summary(
        path=file.source.path,
        imports=frozenset((*file.outline.imports.values(), *file.outline.stars)),
        uses=file.uses,
        is_test=is_test_path(file.source.path),
        bound=frozenset(file.outline.module.scope.bindings),
        stars=tuple(file.outline.stars),
        takes=taken_names(file),
        tests_old_scaler=tests_for_old_scaler(file),
        sets_default_device=sets_default_device(file),
    )
