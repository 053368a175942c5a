"""The page: what a terminal shows, harmless whatever users' files are called."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.probe import samples
from tests.probe.samples import render
from trainlint.report.settings import Style
from trainlint_probe.report.page import page


class Outline(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_has_the_report_with_its_colours() -> None:
    report = render([samples.run()], samples.VERDICTS, Style(color=True), verbose=True)
    outline = Outline(page(report))
    plain = render([samples.run()], samples.VERDICTS, Style(), verbose=True)
    assert plain.strip() in outline.text
    assert "span" in outline.tags


def test_nothing_of_a_user_s_file_becomes_markup() -> None:
    evil = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>{stylesheet}[bold]"
    outline = Outline(page(f"{evil}\n\x1b[1m{evil}\x1b[0m\n"))
    assert not {"script", "img", "link", "iframe"} & set(outline.tags)
    assert not {"src", "href", "onerror"} & outline.attributes
    assert outline.text.count(evil) == 2
