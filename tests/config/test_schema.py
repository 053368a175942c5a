"""The JSON Schema of the configuration, and the page that is made from the same table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.toy_rules import RULES
from trainlint.catalogue import installed_rules
from trainlint.config import Config, ConfigError, kinds
from trainlint.config.keys import Key
from trainlint.config.page import example as example_of
from trainlint.config.page import page
from trainlint.config.raw import RawConfig
from trainlint.config.reading import config_from
from trainlint.config.schema import schema
from trainlint.config.toml import parse_toml

SCHEMA = Draft7Validator(schema())
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", page(), re.MULTILINE | re.DOTALL)


def is_read(values: dict[str, Any]) -> bool:
    """Whether trainlint takes these values from a trainlint.toml."""
    try:
        config_from(RawConfig(Path("trainlint.toml"), "", (), values), RULES)
    except ConfigError:
        return False
    return True


def test_the_files_in_docs_are_fresh() -> None:
    docs = Path(__file__).parents[2] / "docs"
    assert json.loads((docs / "trainlint.schema.json").read_text(encoding="utf-8")) == schema()
    assert (docs / "configuration.md").read_text(encoding="utf-8").endswith(page())


def test_the_schema_is_valid_draft_7_with_what_schemastore_asks_for() -> None:
    Draft7Validator.check_schema(schema())
    whole: dict[str, Any] = schema()
    assert whole["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert whole["$id"] == "https://json.schemastore.org/trainlint.json"
    assert whole["additionalProperties"] is False
    assert set(whole["properties"]) == {key.name for key in Config.keys}
    for described in whole["properties"].values():
        assert described["description"]
        assert "type" in described
        assert described["examples"]


@pytest.mark.parametrize("key", Config.keys, ids=lambda key: key.name)
def test_defaults_and_examples_are_valid(key: Key) -> None:
    described: Any = schema()["properties"]
    values = [*described[key.name]["examples"], *([described[key.name]["default"]] if key.default is not None else [])]
    for value in values:
        SCHEMA.validate({key.name: value})
        raw = RawConfig(Path("trainlint.toml"), "", (), {key.name: value})
        key.kind.check(raw, (key.name,), value, installed_rules())


def test_every_example_of_the_page_is_valid() -> None:
    assert len(EXAMPLES) == 1 + len(Config.keys)
    for text in EXAMPLES:
        SCHEMA.validate(parse_toml(text)["tool"]["trainlint"])


@pytest.mark.parametrize("key", Config.keys, ids=lambda key: key.name)
def test_an_example_holds_the_value_of_its_row(key: Key) -> None:
    assert parse_toml(example_of(key, table="")) == {key.name: key.example}
    assert parse_toml(example_of(key))["tool"]["trainlint"] == {key.name: key.example}


def test_what_the_page_links_to_exists() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = page()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (docs / target).is_file() or target == "trainlint.schema.json", target
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert f"\n## {anchor}\n" in text


# What the schema accepts is what trainlint reads, as far as a schema can say it: words that stand for no rule, a `[`
# that is not closed, texts that are no version and identifiers beyond ASCII are left to trainlint.

RULE = st.sampled_from(["ALL", "TRN", "TRN2", "trn201", "slow-acme", ""])
GLOB = st.text(alphabet="aü*?/!-. \\", max_size=5)
FUNCTION = st.text(alphabet="ab_1. -\t", max_size=5)
NUMBER = st.one_of(
    st.integers(-1, 2),
    st.floats(-1, 2),
    st.sampled_from([86_400, 86_401, 1e9]),
)
ANY = st.one_of(
    st.booleans(),
    NUMBER,
    st.sampled_from(["", "advice", "error", "Error", "fatal", ">=2.4", "2.4", "newest"]),
    st.lists(st.one_of(RULE, GLOB, FUNCTION, NUMBER), max_size=3),
    st.lists(GLOB, max_size=3),
    st.lists(FUNCTION, max_size=3),
    st.dictionaries(st.one_of(RULE, GLOB), st.one_of(RULE, st.lists(RULE, max_size=2)), max_size=2),
    st.dictionaries(RULE, st.sampled_from(["advice", "warning", "error", "fatal", 1, True]), max_size=2),
)
"""Values of the right and of wrong kinds."""
NAMES = [*(key.name for key in Config.keys), "selekt", "rules", "cache-dir", "tool"]
LEVEL = st.sampled_from(["advice", "warning", "error", "fatal"])
OF_KIND: dict[str, st.SearchStrategy[Any]] = {
    kinds.RULES.words: st.lists(RULE, max_size=2),
    kinds.GLOBS.words: st.lists(GLOB, max_size=2),
    kinds.RULES_BY_GLOB.words: st.dictionaries(GLOB, st.lists(RULE, max_size=1), max_size=2),
    kinds.SEVERITY.words: LEVEL,
    kinds.SEVERITY_BY_RULE.words: st.dictionaries(RULE, LEVEL, max_size=2),
    kinds.BUDGET.words: st.dictionaries(
        st.sampled_from([*kinds.LIMITS, "sinks"]), st.one_of(NUMBER, st.sampled_from([-0.5, 100, 101, True, "0"]))
    ),
    kinds.SWITCH.words: st.booleans(),
    kinds.LEVEL.words: st.sampled_from(["certain", "likely", "possible", "unlikely", "sure", 0.7]),
    kinds.SECONDS.words: NUMBER,
    kinds.FUNCTIONS.words: st.lists(FUNCTION, max_size=2),
    kinds.FILE.words: st.sampled_from(["baseline.json", "a/b.json", ""]),
    kinds.TORCH_RANGE.words: st.sampled_from([">=2.4", "2.4", "~=2.4,<2.9", "newest", ""]),
}
"""Values of each kind, many of which are right."""
SETTINGS = st.one_of(
    st.sampled_from(Config.keys).flatmap(lambda key: OF_KIND[key.kind.words].map(lambda value: {key.name: value})),
    st.dictionaries(st.sampled_from(NAMES), ANY, max_size=2),
)


def only_trainlint_can_say(values: dict[str, Any]) -> bool:
    """Whether a word is meant for a rule and is none of those that stand for rules here."""
    known = {"ALL", "TRN", "TRN2", "trn201", "slow-acme", ""}
    words: list[Any] = [*values.get("severity", {})] if isinstance(values.get("severity"), dict) else []
    lists = [values.get(name) for name in ("select", "extend-select", "ignore", "fixable", "unfixable")]
    by_glob = values.get("per-file-ignores")
    lists += by_glob.values() if isinstance(by_glob, dict) else []
    words += [word for entries in lists if isinstance(entries, list) for word in entries]
    return any(isinstance(word, str) and word not in known for word in words)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(SETTINGS)
@example({"exclude": ["!a"]})
@example({"exclude": ["a\\b"]})
@example({"exclude": ["/ /"]})
@example({"exclude": ["a"] * 1_001})
@example({"per-file-ignores": {"a": ["TRN", ""]}})
@example({"hot": ["a..b"]})
@example({"hot": ["1a"]})
@example({"hot": ["größe._a1"]})
@example({"file-time-limit": 0})
@example({"file-time-limit": 86_401})
@example({"min-confidence": True})
@example({"severity": {"TRN": "fatal"}})
@example({"severity": {"": "error"}})
@example({"target-torch": 2.4})
@example({"target-torch": "newest"})
@example({"rules": {}})
def test_the_schema_accepts_what_trainlint_reads_and_nothing_else(values: dict[str, Any]) -> None:
    valid = SCHEMA.is_valid(json.loads(json.dumps(values)))
    if is_read(values):
        assert valid
    elif not only_trainlint_can_say(values):
        assert not valid
