"""Python imports this at the start of each process below a probed one (see `trainlint_probe.handover`)."""

import importlib.util
import os
import sys

_OURS = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is not loaded yet, and need not be


def _run_the_users_own() -> None:
    """Another `sitecustomize` that Python would have found without us."""
    path = [entry for entry in sys.path if os.path.abspath(entry) != _OURS]  # noqa: PTH100 - as above
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    from trainlint_probe import handover
except ImportError:
    pass  # another Python, where trainlint is not installed: its processes stay unwatched
else:
    handover.arm()
_run_the_users_own()
