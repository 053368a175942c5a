"""The file of a baseline: one line a finding, valid by its schema, and refused with a sentence where it is none."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from trainlint.baseline.file import UnusableBaseline, baseline_text, read_baseline
from trainlint.baseline.identity import Identity
from trainlint.baseline.matching import Entry
from trainlint.bounded import BASELINE_BYTES

SCHEMA = json.loads((files("trainlint.baseline") / "baseline.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
TEXT = st.text(st.characters(blacklist_characters="\0"), max_size=8)
ENTRIES = st.lists(
    st.builds(
        Entry,
        st.sampled_from(["/p/a.py", "/p/src/ü b.py", "/outside.py"]),
        st.builds(
            Identity, st.sampled_from(["TRN201", "ACME001"]), TEXT, st.sampled_from(["", "0123456789abcdef"]), TEXT
        ),
        st.sampled_from(["", "0123456789"]),
    ),
    max_size=5,
)


@given(entries=ENTRIES)
def test_what_is_written_is_read_back_and_valid(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("baseline") / "b.json"
    here = str(place.parent)
    entries = [Entry(entry.path.replace("/p", here), entry.identity, entry.id) for entry in entries]
    text = baseline_text(entries, here)
    VALIDATOR.validate(json.loads(text))
    assert text.isascii()
    place.write_text(text)
    assert sorted(map(repr, read_baseline(str(place), "b.json"))) == sorted(map(repr, entries))


@given(entries=ENTRIES)
def test_one_more_finding_is_one_more_line(entries: list[Entry]) -> None:
    one = Entry("/p/a.py", Identity("TRN299", "f", "0123456789abcdef", "x"))
    before, after = (baseline_text(found, "/p").splitlines() for found in (entries, [*entries, one]))
    added = [line for line in after if "TRN299" in line]
    assert len(added) == 1
    if entries:
        assert [line.rstrip(",") for line in after if line not in added] == [line.rstrip(",") for line in before]


@given(entries=ENTRIES, data=st.data())
def test_the_order_of_findings_does_not_matter(entries: list[Entry], data: st.DataObject) -> None:
    assert baseline_text(entries, "/p") == baseline_text(data.draw(st.permutations(entries)), "/p")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "it was cut off or edited; delete it and run `trainlint baseline -o b.json`"),
        ("\xff", "it was cut off or edited"),
        ("[" * 100_000, "it was cut off or edited"),
        ("[]", "b.json is no baseline of trainlint; name another file"),
        ('{"name": "some-package"}', "b.json is no baseline of trainlint; name another file"),
        ('{"trainlint_baseline": 2}', "was written by a newer trainlint (form 2; this one reads form 1)"),
        ('{"trainlint_baseline": "1"}', 'has the form "1", which no trainlint has written'),
        ('{"trainlint_baseline": true}', "has the form true, which no trainlint has written"),
        ('{"trainlint_baseline": 1}', "has no list `findings`"),
        ('{"trainlint_baseline": 1, "findings": ["a"]}', "its finding number 1 should be an object with the texts"),
        (
            '{"trainlint_baseline": 1, "findings": [{"path": "a", "code": 1, "function": "", "line": ""}]}',
            "its finding number 1 should be an object with the texts path, code, function, line",
        ),
    ],
)
def test_what_is_no_baseline_is_refused_with_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    place = tmp_path / "b.json"
    place.write_bytes(content.encode("latin-1"))
    with pytest.raises(UnusableBaseline) as caught:
        read_baseline(str(place), "b.json")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    place = tmp_path / "b.json"
    with place.open("wb") as stream:
        stream.truncate(BASELINE_BYTES + 1)
    with pytest.raises(UnusableBaseline, match="larger than 20,000,000 bytes"):
        read_baseline(str(place), "b.json")


def test_an_entry_from_before_statements_is_read_and_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    place = tmp_path / "b.json"
    item = {"path": "a.py", "code": "TRN201", "function": "f", "line": "x", "since": "2.0"}
    place.write_text(json.dumps({"trainlint_baseline": 1, "findings": [item], "more": 1}))
    assert read_baseline(str(place), "b.json") == (Entry(str(tmp_path / "a.py"), Identity("TRN201", "f", "", "x")),)
