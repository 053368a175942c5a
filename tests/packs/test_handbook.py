"""A rule's page is made from the rule alone."""

from __future__ import annotations

import json

from tests.report.toys import ITEM, RULES, BlockingBatchCopy, ItemInTrainingStep, VisitorsRule
from trainlint.handbook import by_topic, docs_url, page_data, page_markdown, rules_table, topic_title


def test_a_page_starts_with_title_facts_and_summary() -> None:
    assert page_markdown(ItemInTrainingStep).startswith("""\
# item-in-training-step (TRN201)

Severity: warning · Fix: unsafe, changes what is computed or how processes are laid out (`--fix --unsafe-fixes`) · \
Also silenced as `TOR999`

`.item()` on a device tensor in a training step.

Reading a number makes the host wait for the device.

## Why
""")


def test_a_page_of_a_preview_says_how_it_is_turned_on() -> None:
    facts = page_markdown(BlockingBatchCopy).splitlines()[2]
    assert facts == (
        "Severity: advice · Fix: safe, training stays bit-identical (`--fix`); unsafe at places where that is not "
        "proved · Preview: on with `--preview`"
    )


def test_a_page_is_data_that_json_can_hold() -> None:
    data = page_data(ItemInTrainingStep)
    assert json.loads(json.dumps(data)) == data
    assert (data["code"], data["name"], data["severity"], data["fix"]) == (
        "TRN201", "item-in-training-step", "warning", "unsafe",
    )  # fmt: skip
    assert data["example"] == "for batch in loader:\n    total += model(batch).item()\n"
    assert [section["heading"] for section in data["sections"]] == [
        "Why", "Example", "Use instead", "Fix safety", "Confirmed by", "References",
    ]  # fmt: skip


def test_only_our_own_rules_have_addresses_of_ours() -> None:
    address = "https://github.com/trainlint/trainlint/blob/main/docs/rules/item-in-training-step.md"
    assert docs_url(ItemInTrainingStep) == docs_url(ITEM) == address
    assert docs_url(VisitorsRule) is None


def test_the_table_links_our_own_rules() -> None:
    summary = BlockingBatchCopy.manual.summary
    expected = f"""\
| code | name | flags | severity | fix | probe |
| --- | --- | --- | --- | --- | --- |
| TRN205 | [blocking-batch-copy](./blocking-batch-copy.md) | {summary} | advice, preview | safe | no |
| ACME001 | slow-call | A pattern of another pack | error | none | no |
"""
    assert rules_table((BlockingBatchCopy, VisitorsRule), pages=".") == expected


def test_rules_stand_under_the_title_of_their_folder() -> None:
    assert topic_title(ItemInTrainingStep) == "report"
    assert by_topic(reversed(RULES)) == {"report": [ItemInTrainingStep, BlockingBatchCopy]}
