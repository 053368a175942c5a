"""`trainlint explain` and `trainlint rules`."""

from __future__ import annotations

import json

import pytest
from rich.cells import cell_len

from tests.report.test_full import ESCAPE
from tests.report.toys import RULES, ItemInTrainingStep, VisitorsRule
from trainlint.handbook import page_data, page_markdown, rules_table
from trainlint.report import Style
from trainlint.report.rule_pages import explain
from trainlint.report.rule_pages import rules_table as table


def test_a_page_in_the_terminal() -> None:
    expected = """\
TRN201 item-in-training-step
.item() on a device tensor in a training step.

  Severity: warning
  Fix: unsafe, changes what is computed or how processes are laid out
  (--fix --unsafe-fixes)
  Also silenced as TOR999

Reading a number makes the host wait for the device.

Why
  The host queues work ahead of the device. .item() waits until all of
  it is done, so the device then stands idle until the host has queued
  more:

   * it costs most where steps are short;
   * see CUDA semantics
     (https://docs.pytorch.org/docs/stable/notes/cuda.html).

Example
    for batch in loader:
        total += model(batch).item()

Use instead
    for batch in loader:
        total += model(batch).detach()

Fix safety
  The sum becomes a tensor.

Confirmed by
  A synchronisation at this line in each profiled step.

References
   * torch.Tensor.item (https://docs.pytorch.org/docs/stable/)

https://github.com/trainlint/trainlint/blob/main/docs/rules/item-in-training-step.md
"""
    assert explain.render(ItemInTrainingStep, "text", style=Style(width=72, unicode=False)) == expected


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_page_fits_but_for_its_address_and_colour_changes_nothing_else(width: int) -> None:
    plain = explain.render(ItemInTrainingStep, "text", style=Style(width=width))
    colored = explain.render(ItemInTrainingStep, "text", style=Style(width=width, color=True))
    assert "\x1b[" in colored
    assert ESCAPE.sub("", colored) == plain
    *lines, address = plain.splitlines()
    assert all(cell_len(line) <= width and line == line.rstrip() for line in lines)
    assert address.endswith("/docs/rules/item-in-training-step.md")


def test_the_code_on_a_page_is_coloured() -> None:
    colored = explain.render(ItemInTrainingStep, "text", style=Style(color=True))
    assert "for batch in loader:" not in colored
    assert "for batch in loader:" in ESCAPE.sub("", colored)


def test_a_page_of_another_pack_has_no_address_of_ours() -> None:
    assert "github.com" not in explain.render(VisitorsRule, "text", style=Style())


def test_a_page_as_markdown_and_json() -> None:
    assert explain.render(ItemInTrainingStep, "markdown", style=Style()) == page_markdown(ItemInTrainingStep)
    assert json.loads(explain.render(ItemInTrainingStep, "json", style=Style())) == page_data(ItemInTrainingStep)


def test_the_table_of_rules() -> None:
    expected = """\
code     name                   severity  fix at best
TRN201   item-in-training-step  warning   unsafe
TRN205   blocking-batch-copy    advice    safe         preview
ACME001  slow-call              error     none

3 rules. Fixes are safe or unsafe by place; the list has the best level.
`trainlint explain CODE` shows the page of one.
"""
    assert table.render((*RULES, VisitorsRule), "text", style=Style(80)) == expected


def test_the_table_of_rules_on_a_narrow_terminal() -> None:
    expected = """\
TRN201 item-in-training-step
  warning, fix: unsafe
TRN205 blocking-batch-copy
  advice, fix: safe, preview

2 rules. Fixes are safe or unsafe by
place; the list has the best level.
`trainlint explain CODE` shows the page
of one.
"""
    assert table.render(RULES, "text", style=Style(40)) == expected


def test_the_table_of_rules_as_markdown_and_json() -> None:
    assert table.render(RULES, "markdown", style=Style()) == rules_table(RULES)
    assert [rule["code"] for rule in json.loads(table.render(RULES, "json", style=Style()))] == ["TRN201", "TRN205"]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of text, json, markdown"):
        explain.render(ItemInTrainingStep, "html", style=Style())
    with pytest.raises(ValueError, match="choose one of text, json, markdown"):
        table.render(RULES, "html", style=Style())
