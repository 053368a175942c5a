"""The page: whole, harmless whatever users' files are called, and as seen by a real browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser as browser
from tests.browser import opened
from tests.probe import samples
from trainlint.evidence import Environment, Phase, Run
from trainlint.finding import Failure
from trainlint.installation.install_command import install_command
from trainlint_probe.report import drawing
from trainlint_probe.report.page import page
from trainlint_probe.result import Ignored, Unjudged
from trainlint_probe.traces.events import read_events
from trainlint_probe.traces.ranks import read_ranks
from trainlint_probe.traces.reading import reading_of
from trainlint_probe.traces.timeline import timeline_of

pytestmark = pytest.mark.slow  # it draws pictures

_VOID = {"meta", "br", "link", "img", "input", "hr"}
_DOCUMENTATION = "https://github.com/trainlint/trainlint"


class Outline(HTMLParser):
    """What a page is made of. Fails where a tag is left open or closed twice."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts.setdefault(self.open[-1], []).append(data.strip())

    def attributes(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get(name)) is not None]


@cache
def full_page() -> str:
    return page([samples.run()], samples.VERDICTS)


@cache
def page_of_many_ranks() -> str:
    return page(samples.ranks(80), [])


PAGES: Mapping[str, Callable[[], str]] = {
    "full": full_page,
    "ranks": lambda: page(samples.ranks(), samples.VERDICTS),
    "many ranks": page_of_many_ranks,
    "no verdicts": lambda: page([samples.run()], []),
    "no steps": lambda: page([Run(("train.py",), Environment({}), "no step")], []),
    "one step": lambda: page([samples.run(steps=1)], [samples.LOADING]),
    "nothing": lambda: page([], []),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_well_formed_and_fetch_nothing(name: str) -> None:
    whole(PAGES[name]())


def whole(text: str) -> Outline:
    """The outline of a page that is well formed, refers to nothing that it lacks, and to nobody but our own pages."""
    outline = Outline(text)
    ids = outline.attributes("id")
    assert len(ids) == len(set(ids))
    labels = [*outline.attributes("aria-labelledby"), *outline.attributes("aria-describedby")]
    links = [*outline.attributes("href"), *outline.attributes("xlink:href")]
    within = {value[1:] for value in links if value.startswith("#")}
    assert within | {word for label in labels for word in label.split()} <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert all(value.startswith(("#", _DOCUMENTATION)) for value in links)
    assert not outline.attributes("src")
    assert not {tag for tag, _ in outline.tags} & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"@import|url\((?!#)", text)
    return outline


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (("python", "train.py", "--lr", "1"), "Where train.py spends its time"),
        (("/usr/bin/python3.12", "-m", "our.training"), "Where our.training spends its time"),
        (("train.py",), "Where train.py spends its time"),
        ((), "Where the training spends its time"),
    ],
)
def test_the_page_is_named_for_the_script(command: tuple[str, ...], title: str) -> None:
    run = replace(samples.run(steps=1), command=command)
    assert Outline(page([run], [])).texts["h1"] == [title]


@pytest.mark.nightly
def test_headings_form_an_outline_and_every_table_has_headers() -> None:
    outline = Outline(full_page())
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    tables = [number for number, (tag, _) in enumerate(outline.tags) if tag == "table"]
    assert len(tables) == 6
    for start, end in zip(tables, [*tables[1:], len(outline.tags)], strict=True):
        scopes = [attributes["scope"] for tag, attributes in outline.tags[start:end] if tag == "th"]
        assert scopes
        assert set(scopes) <= {"col", "row"}


def test_every_picture_has_a_title_and_says_in_words_what_it_shows() -> None:
    outline = Outline(full_page())
    pictures = [attributes for tag, attributes in outline.tags if tag == "svg"]
    # Step split, steps and memory, each for wide screens and for narrow ones.
    assert len(pictures) == 6
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in pictures)
    assert "Memory at the end of each step" in outline.texts["title"]
    spoken = " ".join(outline.texts["desc"])
    assert "data wait 30.8 ms (56.4%)" in spoken
    assert "30 steps of 51.0 to 66.0 ms" in spoken


def test_colours_are_the_style_sheet_s_alone() -> None:
    """A colour that is fixed in a picture would be unreadable on a dark ground."""
    drawn = "".join(re.findall(r"<svg.*?</svg>", full_page(), flags=re.DOTALL))
    assert set(re.findall(r"#[0-9a-f]{6}\b", drawn)) <= {"#1b1b1b", "#ffffff"}  # letters on the bars
    style = (files("trainlint_probe.report") / "templates/page.css").read_text(encoding="utf-8")
    assert {f"--{name}" for name in drawing.PALETTE} <= set(re.findall(r"(--[\w-]+):", style))


@pytest.mark.parametrize("ground", ["light", "dark", "print"])
def test_words_stand_out_from_the_ground(ground: str) -> None:
    """The contrast that WCAG 2 asks of text at level AA."""
    style = (files("trainlint_probe.report") / "templates/page.css").read_text(encoding="utf-8")
    blocks = dict(zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL), strict=True))
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[ground]))
    for name in ("ink", "quiet", "accent", "red", "green", "amber", "blue"):
        assert contrast(colors[name], colors["paper"]) >= 4.5, name


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_nothing_of_a_user_s_file_becomes_markup() -> None:
    evil = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"
    run = replace(
        samples.run(),
        command=(evil,),
        clock=evil,
        notes=(evil,),
        redirected=(evil,),
        environment=Environment({evil: evil}, (evil,)),
        loaders=(replace(samples.run().loaders[0], settings={"dataset": evil}),),
    )
    text = page(
        [run, replace(run, rank=1)],
        [samples.hostile(), replace(samples.hostile(), code=evil)],
    )
    outline = Outline(text)
    assert not {tag for tag, _ in outline.tags} & {"script", "img"}
    assert not outline.attributes("onerror")
    assert any("<script>alert(1)</script>.py:7" in said for said in outline.texts["code"])
    assert "{{ 7 * 7 }}" in text


def test_what_to_do_first_is_what_costs_most_of_what_is_confirmed() -> None:
    dearer = replace(samples.LOADING, code="TRN205", cost=replace(samples.LOADING.cost, low=30.0))  # type: ignore[type-var]  # it has a cost
    text = page([samples.run()], [samples.LOADING, *samples.VERDICTS, dearer])
    advice = text[text.index('id="first"') : text.index('id="split"')]
    assert advice.index("TRN205") < advice.index("TRN101")
    assert "TRN303" not in advice


def test_where_nothing_is_confirmed_the_page_says_what_takes_longest() -> None:
    text = page([samples.run()], [samples.EVALUATION])
    assert "No finding is confirmed" in text
    assert "The longest phase is data wait, 56% of the time." in text


def test_what_could_not_be_judged_stands_before_what_was() -> None:
    failure = Failure("src/<data>.py", "line 3: it is no Python", "TRN001")
    silent = Unjudged((failure,), {"vendor/a.py": "the configuration excludes it"}, Ignored(by_comments=2))
    text = page([samples.run()], [samples.EVALUATION], unjudged=silent)
    whole(text)
    said = text.index("<li>Could not judge src/&lt;data&gt;.py: line 3: it is no Python.</li>")
    assert text.index('id="findings"') < said < text.index("TRN303")
    assert "what counts; not everything could be judged." in text
    assert "<li>Not judged: vendor/a.py (the configuration excludes it).</li>" in text
    assert "<li>Ignored: 2 findings by comments.</li>" in text
    assert "not everything could be judged" not in page([samples.run()], [samples.EVALUATION])


def test_what_was_not_measured_is_left_empty() -> None:
    run = replace(samples.run(), steps=tuple(replace(step, memory=None) for step in samples.run().steps))
    text = page([run], [samples.SAVING])
    assert "Memory at the end" not in text
    (row,) = re.findall(r"<td[^>]*data-label=\"Cost a step\">(.*?)</td>", text)
    assert row == ""


def test_what_was_used_of_the_device_names_where_its_peak_stands() -> None:
    text = page([samples.run()], [])
    assert "25.5% of the dense peak for bf16 (MFU). <small>NVIDIA A100 Tensor Core GPU, data sheet</small>" in text
    assert "MFU" not in page([replace(samples.run(), flops=None)], [])


@pytest.mark.nightly
@pytest.mark.slow
def test_the_same_run_gives_the_same_page() -> None:
    assert full_page.__wrapped__() == full_page()


def test_without_matplotlib_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(drawing.MissingLibrary, match=re.escape(install_command("matplotlib"))):
        full_page.__wrapped__()


def test_a_trace_has_a_page_of_its_own(tmp_path: Path) -> None:
    events = read_events(samples.trace(tmp_path / "trace.json"))
    outline = whole(page([], [], reading_of(events), timeline=timeline_of(events)))
    assert outline.texts["h1"] == ["What trace.json shows"]
    whole(page([samples.run()], samples.VERDICTS, reading_of(events), timeline=timeline_of(events)))
    assert {"Where the host waits for the device", "Copies between host and device"} <= set(outline.texts["h3"])
    assert "train.py:78" in outline.texts["code"]
    spoken = " ".join(outline.texts["desc"])
    assert "The host waits for the device 2 times, longest 1.1 ms at train.py:78, 1 ms at " in spoken


def test_without_a_device_the_memory_is_the_process_s() -> None:
    run = replace(samples.run(), device="cpu")
    assert "Heap of the process 2.2 GiB after the first step" in page([run], [])


@pytest.mark.nightly
def test_of_many_ranks_a_caption_names_the_ends() -> None:
    spoken = " ".join(Outline(page_of_many_ranks()).texts["desc"])
    assert "80 ranks, of which the quickest and the slowest are rank 0: 33.4 ms, " in spoken
    assert "; rank 79: 43.0 ms, its longest phase data wait (15.4 ms)." in spoken


def test_a_long_window_makes_no_heavy_page() -> None:
    text = page([samples.run(steps=3000)], [])
    assert "3000 steps of 51.0 to " in text
    assert "A column is the mean of 10 steps." in text
    assert len(text) < 600_000


def test_traces_of_ranks_have_one_page(tmp_path: Path) -> None:
    for rank in (0, 2):
        samples.trace(tmp_path / f"rank{rank}.json", rank=rank)
    text = page([], [], read_ranks(tmp_path))
    whole(text)
    assert "The mean step of each rank" in text
    assert "Rank 0: 20.0 ms, its longest phase other (7.5 ms)" in text
    assert "Where no rank is named, what a trace shows is that of rank 0." in text


# In a real browser.


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 360], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_all_of_it_and_asks_for_nothing_else(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    written = tmp_path / "page.html"
    verdicts = [*samples.VERDICTS, samples.hostile()]
    written.write_text(page(samples.ranks(), verdicts), encoding="utf-8")
    assert opened(browser, written, width=width, scheme=scheme) == [written.as_uri()]

    headings = browser.execute_script("return [...document.querySelectorAll('h1, h2, h3')].map(each => each.innerText)")
    assert headings[0] == "Where train.py spends its time"
    assert {"What to do first", "The mean step of each rank", "Environment"} <= set(headings)
    assert browser.execute_script("return document.querySelectorAll('table').length") == 6
    shown = browser.execute_script(
        "return [...document.querySelectorAll('svg')].map(each => each.getBoundingClientRect())"
        ".filter(box => box.width > 0 && box.height > 0).map(box => [box.left, box.right, box.height])"
    )
    assert len(shown) == 4  # the others are for the other width
    assert all(left >= 0 and right <= width and height > 40 for left, right, height in shown)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
    # Letters that run out of a picture are cut off by the edge of a phone.
    outside = browser.execute_script(
        "return [...document.querySelectorAll('svg text')].filter(each => { const box = each.getBoundingClientRect();"
        " return box.width && (box.left < 0 || box.right > innerWidth) }).map(each => each.textContent)"
    )
    assert outside == []


@pytest.mark.slow
def test_screen_readers_find_the_table_of_findings_on_a_phone(browser: Any, tmp_path: Path) -> None:
    """Its rows are cards there, and roles in the markup keep it a table."""
    written = tmp_path / "page.html"
    written.write_text(page([samples.run()], samples.VERDICTS), encoding="utf-8")
    opened(browser, written, width=360)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = [node["role"]["value"] for node in nodes if "role" in node and not node.get("ignored")]
    assert roles.count("rowheader") >= len(samples.VERDICTS) + len(Phase) - 1
    assert roles.count("columnheader") >= 7
    pictures = [node for node in nodes if node.get("role", {}).get("value") in ("image", "img")]
    names = [node["name"]["value"] for node in pictures if not node.get("ignored")]
    assert names[0] == "Where a step's time goes"
