"""The page of `--output-format html`: whole, harmless whatever files are called, and as seen by a real browser."""

from __future__ import annotations

import re
import time
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
from tests.report.toys import BROKEN, COPY, ITEM, SOURCE, settings, sources
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Edit, Finding, Fix, Heat, Measured, RelatedPlace, Report, Safety, Severity, Span
from trainlint.report import render
from trainlint.report.excerpt import excerpt
from trainlint.source import source_from_text

_VOID = {"meta", "input"}
EVIL = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}\" autofocus='"
OTHER_FILE = replace(
    ITEM,
    path="src/loop.py",
    heat=Heat.INNER,
    severity=Severity.ERROR,
    fix=None,
    help="read it once an epoch",
    related=(RelatedPlace("src/train.py", 7, 9, "calls `step` in every training step"),),
)
FINDINGS = (COPY, ITEM, OTHER_FILE)


class Outline(HTMLParser):
    """What a page is made of. Fails where a tag is left open or closed twice."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._pieces: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open
        self.text = "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self._pieces.append(data)

    def count(self, name: str) -> int:
        return sum(tag == name for tag, _ in self.tags)


def page(*findings: Finding, measured: Measured | None = None, failures: bool = False) -> str:
    report = Report(findings, (BROKEN,) if failures else (), 12, measured=measured)
    return render(report, "html", sources=sources, rules=(), settings=settings())


@cache
def usual_page() -> str:
    return page(*FINDINGS, failures=True)


def verdict(finding: Finding, state: State, said: str) -> Verdict:
    return Verdict(finding.code, finding.name, Line(finding.path, finding.span.start_line), state, said)


def evidence(*, stale: tuple[str, ...] = ()) -> Measured:
    confirmed = replace(verdict(ITEM, State.CONFIRMED, "the host waits 31.3 ms here"), cost=Interval(30.0, 32.0))
    refuted = verdict(COPY, State.REFUTED, "it costs less than 1% of a step")
    return Measured("evidence.json", "20 steps on cpu", {ITEM: confirmed, COPY: refuted}, stale)


def many(number: int) -> tuple[Finding, ...]:
    """Findings in a tenth as many files, by five rules."""
    return tuple(
        replace((COPY, ITEM)[each % 2], code=f"TRN20{each % 5}", path=f"src/part_{each // 10}/train_{each % 10}.py")
        for each in range(number)
    )


def test_each_finding_has_its_place_code_chain_fix_and_page() -> None:
    text = Outline(usual_page()).text
    for said in (
        "src/train.py:9:18", "in each training step.", "loop over train_loader", "Trainer.step", "keep a detached sum",
        "--fix --unsafe-fixes applies it", "needs your judgement",
        "+     total = ", "What to do: read it once an epoch.",
        "src/train.py:7:9 calls step in every training step", "could not judge src/broken.py", "(likely)",
        "Found 3 problems; none of 12 files trains",
    ):  # fmt: skip
        assert said in text, said
    assert 'href="https://github.com/trainlint/trainlint/blob/main/docs/rules/item-in-training-step.md"' in usual_page()
    assert "<mark>loss.item()</mark>" in usual_page()


def test_another_finding_nearby_is_marked_and_linked() -> None:
    # COPY is the last finding, on a line that the excerpt of the second one shows.
    assert 'href="#f2">batch.to(device)</a>' in usual_page()


def test_it_is_well_formed_and_refers_to_nothing_else() -> None:
    for text in (usual_page(), page(), page(*FINDINGS, measured=evidence())):
        outline = Outline(text)
        ids = [value for _, attributes in outline.tags if (value := attributes.get("id"))]
        assert len(ids) == len(set(ids))
        links = [value for _, attributes in outline.tags if (value := attributes.get("href"))]
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
        assert all(link.startswith(("#", "https://github.com/trainlint/trainlint")) for link in links)
        assert not {tag for tag, _ in outline.tags} & {"link", "img", "iframe", "object", "base"}
        assert not any("src" in attributes or "style" in attributes for _, attributes in outline.tags)
        assert not re.search(r"@import|url\(", text)


def test_headings_form_an_outline_and_each_control_has_a_label() -> None:
    outline = Outline(usual_page())
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    boxes = [attributes for tag, attributes in outline.tags if tag == "input" and attributes["type"] == "checkbox"]
    assert len(boxes) == usual_page().count("<label><input")
    assert outline.count("fieldset") == outline.count("legend") == 5


def test_nothing_from_a_repository_is_markup() -> None:
    hostile = replace(
        ITEM,
        code="EVIL001",
        name=EVIL,
        path=f"{EVIL}.py",
        message=EVIL,
        help=EVIL,
        chain=(f"line 6: {EVIL}", EVIL),
        related=(RelatedPlace(EVIL, 1, 1, EVIL),),
        fix=Fix(EVIL, (Edit(0, 1, EVIL),), Safety.SAFE),
    )
    source = source_from_text("x", f"{EVIL}\n" * 12)
    measured = Measured(EVIL, EVIL, {hostile: verdict(hostile, State.CONFIRMED, EVIL)}, (EVIL,))
    report = Report((hostile,), (replace(BROKEN, path=EVIL, reason=EVIL),), 1, measured=measured)
    text = render(report, "html", sources=lambda _: source, rules=(), settings=settings())
    outline = Outline(text)
    assert outline.count("script") == 1
    assert outline.count("style") == outline.count("title") == 1
    assert outline.count("img") == 0
    assert not any({"onerror", "autofocus"} & set(attributes) for _, attributes in outline.tags)
    assert "{{ 7 * 7 }}" in outline.text


def test_a_browser_may_run_the_pages_own_script_and_nothing_else() -> None:
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', usual_page())
    directives = {words.split()[0]: words.split()[1:] for words in policy.replace("&#39;", "'").split(";")}
    assert set(directives) == {"default-src", "style-src", "script-src"}
    assert directives["default-src"] == ["'none'"]
    assert all(re.fullmatch(r"'sha256-[\w+/]{43}='", word) for word in directives["script-src"])


def test_a_ci_service_finds_no_command_in_it_and_a_reader_the_same_words() -> None:
    text = page(replace(ITEM, message="##[add-path]x says ::error::y"))
    assert "##[" not in text
    assert "##[add-path]x says ::error::y" in Outline(text).text


def test_evidence_is_shown_and_orders_the_findings() -> None:
    text = page(*FINDINGS, measured=evidence(stale=("src/loop.py",)))
    said = Outline(text).text
    assert "confirmed the host waits 31.3 ms here (20 steps on cpu)" in said
    assert "src/loop.py has changed since evidence.json was written" in said
    assert text.index('id="f0"') < text.index("the host waits 31.3 ms") < text.index('id="f1"')
    assert text.index('id="f2"') < text.index("it costs less than 1%")
    assert 'name="measured"' in text


def test_without_findings_there_is_nothing_to_filter() -> None:
    text = page()
    assert "All clear: none of 12 files trains." in text
    assert Outline(text).count("script") == Outline(text).count("form") == 0


def test_two_thousand_findings_make_no_heavy_page() -> None:
    text = render(Report(many(2000), (), 400), "html", sources=lambda _: SOURCE, rules=(), settings=settings())
    assert Outline(text).count("article") == 2000
    assert len(text) < 5_000_000


def test_a_line_of_a_megabyte_is_cut() -> None:
    source = source_from_text("x.py", f"a = {'1' * 1_000_000}\n")
    [line] = excerpt(source, Span(1, 1, 1, 2))
    assert sum(len(piece.text) for piece in line.pieces) == 401


def test_a_long_span_shows_its_beginning_and_its_end() -> None:
    source = source_from_text("x.py", "".join(f"line{number}\n" for number in range(1, 41)))
    lines = excerpt(source, Span(5, 1, 35, 1))
    assert [line.number for line in lines] == [2, 3, 4, *range(5, 13), 33, 34, 35, 36]
    assert [line.number for line in lines if line.gap] == [33]
    marked = [line.number for line in lines if any(piece.here for piece in line.pieces)]
    assert marked == [*range(5, 13), 33, 34]


@pytest.mark.parametrize("ground", ["light", "dark", "print"])
def test_words_stand_out_from_the_ground(ground: str) -> None:
    """The contrast that WCAG 2 asks of text at level AA."""
    style = (files("trainlint.report") / "templates/check.css").read_text(encoding="utf-8")
    blocks = dict(zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL), strict=True))
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[ground]))
    for name in ("ink", "quiet", "accent", "red", "green", "amber", "blue"):
        assert contrast(colors[name], colors["paper"]) >= 4.5, name
    for name in ("mark", "gone", "come", "raised"):
        assert contrast(colors["ink"], colors[name]) >= 4.5, name
        assert name == "mark" or contrast(colors["quiet"], colors[name]) >= 4.5, name


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# In a real browser.


def written(folder: Path, text: str) -> Path:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def shown_cards(browser: Any) -> list[str]:
    """The places of the findings that are shown."""
    script = "return [...document.querySelectorAll('article')].filter(card => card.offsetParent).map(card => card.id)"
    cards: list[str] = browser.execute_script(script)
    return cards


@pytest.mark.slow
@pytest.mark.each_run
@pytest.mark.parametrize("width", [1280, 360], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_all_of_it_and_asks_for_nothing_else(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    path = written(tmp_path, page(*FINDINGS, measured=evidence(), failures=True))
    assert opened(browser, path, width=width, scheme=scheme) == [path.as_uri()]
    assert shown_cards(browser) == ["f0", "f1", "f2"]
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.find_element("id", "count").text == "3 of 3 shown"
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
    # All rules of axe-core, contrast and labels among them.
    axe = pytest.importorskip("axe_selenium_python", reason="it brings axe-core")
    judge = axe.Axe(browser)
    judge.inject()
    violations = judge.run()["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in violations] == []


@pytest.mark.slow
def test_filters_work_by_keyboard(browser: Any, tmp_path: Path) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    opened(browser, written(tmp_path, page(*FINDINGS)))

    def press(*typed: str) -> None:
        browser.switch_to.active_element.send_keys(*typed)

    press(keys.TAB)
    assert browser.switch_to.active_element.get_attribute("id") == "words"
    press("broken words")
    assert shown_cards(browser) == []
    assert "No finding has all of these properties." in browser.find_element("tag name", "main").text
    press(keys.CONTROL, "a")
    press("waits copy")
    assert shown_cards(browser) == ["f2"]
    press(keys.CONTROL, "a")
    press(keys.DELETE)

    def tab_to(label: str) -> None:
        for _ in range(60):
            press(keys.TAB)
            script = "return document.activeElement.closest('label, button')?.innerText"
            if (browser.execute_script(script) or "").startswith(label):
                return
        raise AssertionError(f"no Tab leads to {label}")

    tab_to("runs each training step")
    press(keys.SPACE)
    assert shown_cards(browser) == ["f1", "f2"]
    tab_to("TRN205")
    press(keys.SPACE)
    assert shown_cards(browser) == ["f2"]
    assert browser.find_element("id", "count").text == "1 of 3 shown"
    tab_to("Show all")
    press(keys.ENTER)
    deadline = time.monotonic() + 10  # a browser hands on a key when it has time
    while shown_cards(browser) != ["f0", "f1", "f2"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert shown_cards(browser) == ["f0", "f1", "f2"]


@pytest.mark.slow
def test_a_link_to_a_finding_that_is_filtered_out_shows_it(browser: Any, tmp_path: Path) -> None:
    opened(browser, written(tmp_path, page(*FINDINGS)))
    browser.find_element("id", "words").send_keys("broken words")
    browser.execute_script("location.hash = 'f2'")
    assert shown_cards(browser) == ["f0", "f1", "f2"]


@pytest.mark.slow
def test_without_its_script_the_page_still_shows_everything(browser: Any, tmp_path: Path) -> None:
    text = re.sub(r"<script>.*</script>", "", usual_page(), flags=re.DOTALL)
    opened(browser, written(tmp_path, text))
    assert shown_cards(browser) == ["f0", "f1", "f2"]
    assert not browser.find_element("id", "words").is_displayed()


@pytest.mark.slow
def test_paper_gets_the_findings_without_the_filters(browser: Any, tmp_path: Path) -> None:
    opened(browser, written(tmp_path, usual_page()))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not browser.find_element("id", "filters").is_displayed()
        assert shown_cards(browser) == ["f0", "f1", "f2"]
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
