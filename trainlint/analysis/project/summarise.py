"""Makes the summary of one file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.effects.default_device import sets_default_device
from trainlint.analysis.programs.old_names.old_amp import tests_for_old_scaler
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.syntax.assigned_names import assigned_in_libraries
from trainlint.analysis.syntax.blocks import Binding, How
from trainlint.analysis.syntax.names import constant, imported_names
from trainlint.analysis.syntax.taken_names import taken_names
from trainlint.analysis.tables.frameworks.packages import brings_torch

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def summarise(file: SemanticModel) -> Summary:
    """What other files need to know of one file."""
    bindings = file.outline.module.scope.bindings
    return Summary(
        path=file.source.path,
        imports=frozenset((*file.outline.imports.values(), *file.outline.stars)),
        uses=file.uses,
        is_test=is_test_path(file.source.path),
        bound=frozenset(bindings),
        from_torch=frozenset(name for name, several in bindings.items() if several and all(map(_is_torch, several))),
        stars=tuple(file.outline.stars),
        takes=taken_names(file),
        tests_old_scaler=tests_for_old_scaler(file),
        sets_default_device=sets_default_device(file),
        assigned_names=assigned_in_libraries(file),
    )


def _is_torch(binding: Binding) -> bool:
    """Whether a binding imports something of PyTorch, or says that there is none: None where an import failed."""
    if binding.how is How.IMPORT and isinstance(binding.node, ast.Import | ast.ImportFrom):
        origin = dict(imported_names(binding.node)).get(binding.name, "")
        return brings_torch(origin.partition(".")[0])
    return binding.how is How.ASSIGN and constant(binding.value) is None
