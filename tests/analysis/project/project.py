"""Small projects whose lines say in a comment what linking should know of them: `loss.item()  #= step`.

A mark holds claims with commas between them: a heat (`step`, `inner`, `eval-step`, `epoch`, `rare`, `once`,
`worker`, `unknown`), a gradient mode (`gradients off`, `gradients on`), or what the statement's value is
(`tensor host`, `module`, `number`, `anything` where nothing is to be known).
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from tests.analysis.facts import MARK, marked, value_of
from tests.executed import frequencies
from trainlint.analysis.project.glance import Glance, glance
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.modules import Modules
from trainlint.analysis.project.neighbours import groups, imports_among
from trainlint.analysis.project.summarise import summarise
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.types.imported_facts import ImportedFacts
from trainlint.config import Config
from trainlint.finding import NOTHING_EXECUTED, Heat, HeatFact
from trainlint.source import source_from_text

ROOT = PurePath("/project")
_HEATS = {heat.value for heat in Heat}


@dataclass(frozen=True)
class Project:
    """What came of linking: by the path of each file."""

    models: Mapping[str, SemanticModel]
    """Told what the other files say."""
    summaries: Mapping[str, Summary]
    facts_by_file: Mapping[str, ImportedFacts]

    def heat(self, path: str, function: str) -> HeatFact:
        """The heat of a function, by its qualified name."""
        model = self.models[path]
        return next(model.heats.function(each) for each in model.outline.functions if each.qualified_name == function)


def each_step(imports: str, *calls: str) -> str:
    """A training script that makes these calls in each step of its loop."""
    step = ["loss = model(batch)", "loss.backward()", *calls]
    return "\n".join([imports, "for batch in train_loader:", *(f"    {line}" for line in step), ""])


def alone(files: Mapping[str, str]) -> dict[str, SemanticModel]:
    """The models of files before any of them is told of the others, but for where their tensors may live."""
    sources = {path: source_from_text(path, textwrap.dedent(code)) for path, code in files.items()}
    modules = Modules([ROOT / path for path in files])
    glances = [_glance(source.text) for source in sources.values()]
    together = groups(imports_among([each.imports for each in glances], modules))
    on_device = {group for group, each in zip(together, glances, strict=True) if each.names_device}
    return {
        path: SemanticModel(source, ast.parse(source.text), Config(), ImportedFacts(names_device=group in on_device))
        for (path, source), group in zip(sources.items(), together, strict=True)
    }


def linked(summaries: Mapping[str, Summary]) -> dict[str, ImportedFacts]:
    """What the files are told, from their summaries."""
    return dict(zip(summaries, link(list(summaries.values()), [ROOT / path for path in summaries]), strict=True))


def _glance(text: str) -> Glance:
    return glance(text.encode(), telling=True)


def project(files: Mapping[str, str]) -> Project:
    """Summarise and link the files of a project."""
    models = alone(files)
    summaries = {path: summarise(model) for path, model in models.items()}
    outsides = linked(summaries)
    executed = frequencies(*(model.source for model in models.values()))
    told = {
        path: model.with_context(outsides[path], executed.get(path, NOTHING_EXECUTED)) for path, model in models.items()
    }
    return Project(told, summaries, outsides)


def check(files: Mapping[str, str]) -> Project:
    """Link a project and hold every marked line of it to what its mark says."""
    found = project(files)
    assert any(MARK in code for code in files.values()), "the project says what it expects"
    for path, model in found.models.items():
        if MARK not in model.source.text:
            continue
        for statement, block, said in marked(model):
            where = f"{path}:{statement.lineno}: {ast.unparse(statement)}"
            for claim in said.split(","):
                assert _answer(model, statement, block, claim.strip()) == claim.strip(), where
    return found


def _answer(model: SemanticModel, statement: ast.stmt, block: Block, claim: str) -> str:
    """What the model says where a mark claims something."""
    if claim in _HEATS:
        return model.heats.of(block).heat.value
    if claim.startswith("gradients "):
        return "gradients off" if model.gradients.off(block, statement.lineno) else "gradients on"
    return model.kinds.of(value_of(statement), block).kind.name.lower()
