"""Matplotlib's figures as parts of a page: coloured by its style sheet, named for screen readers, at home on phones."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainlint.evidence import Phase
from trainlint.installation.install_command import install_command

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, NARROW = 9.4, 4.7
"""Inches of a picture on a desk and on a phone. At 72 points to the inch, letters keep their size on both."""

INK, FAINT, PAPER, ACCENT, SECOND, DEVICE = "#1f2328", "#d0d7de", "#fefefe", "#0969da", "#bc4c00", "#6e7781"
"""What is written, lines behind the data, the ground, two colours for data that has no phase, and a device at work."""

# Okabe and Ito's palette, which people with any kind of colour blindness can tell apart
# (https://jfly.uni-koeln.de/color/).
PHASE_COLORS = {
    Phase.DATA_WAIT: "#d55e00",
    Phase.HOST_TO_DEVICE: "#e69f00",
    Phase.FORWARD: "#0072b2",
    Phase.BACKWARD: "#56b4e9",
    Phase.OPTIMIZER: "#009e73",
    Phase.EVALUATION: "#cc79a7",
    Phase.CHECKPOINT: "#f0e442",
    Phase.OTHER: "#8c959f",
}

PALETTE = {
    "ink": INK,
    "faint": FAINT,
    "paper": PAPER,
    "accent": ACCENT,
    "second": SECOND,
    "device": DEVICE,
    **{phase.value.replace(" ", "-"): color for phase, color in PHASE_COLORS.items()},
}
"""Names of the page's colours and what they are on a light ground. The style sheet says what they are on a dark one."""

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"


class MissingLibrary(Exception):
    """What draws the page's pictures is not installed. Its text is a sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture for a page, drawn twice."""

    title: str
    caption: str
    """What the picture shows, with its numbers: all that somebody needs who cannot see it."""
    wide: str
    """An SVG element."""
    narrow: str


def picture(name: str, title: str, caption: str, draw: Callable[[float], Figure]) -> Picture:
    """Draw a picture for wide and narrow screens. `draw` is handed the width in inches; `name` is unique in a page."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingLibrary(
            f"the page with pictures needs Matplotlib: run `{install_command('matplotlib')}`"
        ) from error
    with mpl.rc_context(_SETTINGS):
        return Picture(
            title,
            caption,
            wide=_element(f"{name}-wide", title, caption, draw(WIDE)),
            narrow=_element(f"{name}-narrow", title, caption, draw(NARROW)),
        )


_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched, copied, and takes the reader's own font
    "svg.hashsalt": "trainlint",
    "text.parse_math": False,  # a dollar sign in a user's path is a dollar sign
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}


def axes_of(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure and its axes, without frame and tick marks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor="none", layout="constrained")
    axes = figure.add_subplot(facecolor="none")
    plain(axes)
    return figure, axes


def plain(axes: Axes) -> None:
    """Take away what carries no data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)


def _element(name: str, title: str, caption: str, figure: Figure) -> str:
    """An SVG element whose ids nothing else in the page has."""
    from xml.etree import ElementTree as ET

    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ET.fromstring(written.getvalue())  # noqa: S314 - matplotlib wrote it a line ago
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)
    _rename(root, name)
    for element in root.iter():
        if "style" in element.attrib:
            element.set("style", _themed(element.attrib["style"]))
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{name}-title",
        "aria-describedby": f"{name}-caption",
    }
    described = (("title", title), ("desc", caption))
    for place, (tag, text) in enumerate(described):
        said = ET.Element(f"{_SVG}{tag}", {"id": f"{name}-{'title' if tag == 'title' else 'caption'}"})
        said.text = text
        root.insert(place, said)
    ET.register_namespace("", _SVG[1:-1])
    ET.register_namespace("xlink", _LINK[1:].partition("}")[0])
    return ET.tostring(root, encoding="unicode")


def _rename(root: Element, name: str) -> None:
    """Matplotlib counts "patch_1", "patch_2" in each figure: keep the ids that are referred to, under this name."""
    known = {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
    used = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == _LINK:
                used.add(value[1:])
                element.set(key, f"#{name}-{value[1:]}")
            elif key != "style" and (found := re.fullmatch(r"url\(#(.+)\)", value)):
                used.add(found[1])
                element.set(key, f"url(#{name}-{found[1]})")
    for element in root.iter():
        if element.attrib.get("id") in used:
            element.set("id", f"{name}-{element.attrib['id']}")
        else:
            element.attrib.pop("id", None)
    assert used <= known, "a reference without its target"


def _themed(style: str) -> str:
    """Colours become variables of the style sheet, and the font is the page's own."""
    style = re.sub(r"font-family:[^;]*;?\s*", "", style)
    for variable, color in PALETTE.items():
        style = style.replace(color, f"var(--{variable})")
    return style
