"""Code in which a defect matters little: it tries something out, or the project makes no use of it."""

from __future__ import annotations

from trainlint.analysis.conditions.smoke_tests import in_smoke_test
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.trip_counts import in_short_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def is_of_little_use(site: Site, *, costs_steps: bool, in_tests: bool, called: bool = False) -> bool:
    """Whether a finding at a place is one of such code.

    Where the defect is one of what training steps cost, also in programs that update no parameters, in runs of few
    steps, and in code that runs only if somebody chooses otherwise than the project does. `in_tests`: it matters in
    tests as elsewhere. `called`: something calls the code, or a framework is presumed to, whatever names it.
    """
    file, block = site.file, site.block
    if costs_steps and (
        file.never_updates or in_short_run(file.outline, block) or file.reachability.is_unchosen(block)
    ):
        return True
    if not in_tests and (is_test_path(site.path) or in_smoke_test(file.outline, block)):
        return True
    return not called and file.reachability.is_unreferenced(block)
