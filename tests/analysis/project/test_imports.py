"""Which file does an import mean, and which function does an imported name? The one that is found runs in each step."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from tests.analysis.project.project import check, each_step
from trainlint.analysis.project.modules import Modules

LOG = "def log(loss):\n    print(loss)  #= step\n"
UNUSED = "def log(loss):\n    print(loss)  #= unknown\n"

PROJECTS: dict[str, dict[str, str]] = {
    "a package beside the script": {
        "train.py": each_step("from helpers.logs import log", "log(loss)"),
        "helpers/__init__.py": "",
        "helpers/logs.py": LOG,
    },
    "a module of a package": {
        "train.py": each_step("from helpers import logs", "logs.log(loss)"),
        "helpers/__init__.py": "",
        "helpers/logs.py": LOG,
    },
    "the whole dotted name": {
        "train.py": each_step("import helpers.logs", "helpers.logs.log(loss)"),
        "helpers/__init__.py": "",
        "helpers/logs.py": LOG,
    },
    "an alias of a module": {
        "train.py": each_step("import helpers.logs as u", "u.log(loss)"),
        "helpers/__init__.py": "",
        "helpers/logs.py": LOG,
    },
    "an alias of a function": {
        "train.py": each_step("from helpers.logs import log as note", "note(loss)"),
        "helpers/__init__.py": "",
        "helpers/logs.py": LOG,
    },
    "a src layout": {
        "scripts/train.py": each_step("from mine.logs import log", "log(loss)"),
        "src/mine/__init__.py": "",
        "src/mine/logs.py": LOG,
    },
    "a module of the same package": {
        "mine/__init__.py": "",
        "mine/train.py": each_step("from .logs import log", "log(loss)"),
        "mine/logs.py": LOG,
    },
    "a module beside, by one dot": {
        "mine/__init__.py": "",
        "mine/train.py": each_step("from . import logs", "logs.log(loss)"),
        "mine/logs.py": LOG,
    },
    "a module of the package around, by two dots": {
        "mine/__init__.py": "",
        "mine/loops/__init__.py": "",
        "mine/loops/train.py": each_step("from ..logs import log", "log(loss)"),
        "mine/logs.py": LOG,
        "mine/loops/logs.py": UNUSED,
    },
    "a package that holds a module of its own name": {
        "train.py": each_step("from helpers.loop import after", "after(loss)"),
        "helpers/__init__.py": "",
        "helpers/helpers.py": "import helpers.logs as logs\n",
        "helpers/loop.py": "import helpers.logs as logs\n\ndef after(loss):\n    logs.log(loss)\n",
        "helpers/logs.py": LOG,
    },
    "two dots alone": {
        "mine/__init__.py": "",
        "mine/loops/__init__.py": "",
        "mine/loops/train.py": each_step("from .. import logs", "logs.log(loss)"),
        "mine/logs.py": LOG,
        "mine/loops/logs.py": UNUSED,
    },
    "a function of the package itself": {
        "mine/__init__.py": LOG,
        "mine/train.py": each_step("from . import log", "log(loss)"),
    },
    "a script finds the modules beside it": {
        "examples/mnist/main.py": each_step("from logs import log", "log(loss)"),
        "examples/mnist/logs.py": LOG,
        "examples/cifar/main.py": "from logs import log\n",
        "examples/cifar/logs.py": UNUSED,
    },
    "a package that hands on its modules' names": {
        "train.py": each_step("from mine import log", "log(loss)"),
        "mine/__init__.py": "from .logs import log",
        "mine/logs.py": LOG,
    },
    "under another name": {
        "train.py": each_step("import mine", "mine.note(loss)"),
        "mine/__init__.py": "from .logs import log as note",
        "mine/logs.py": LOG,
    },
    "through a second package": {
        "train.py": each_step("from mine import log", "log(loss)"),
        "mine/__init__.py": "from .tools import log",
        "mine/tools/__init__.py": "from .logs import log",
        "mine/tools/logs.py": LOG,
    },
    "all names of a module": {
        "train.py": each_step("from mine import *", "log(loss)"),
        "mine/__init__.py": "from .logs import *\n__all__ = ['log']",
        "mine/logs.py": LOG,
    },
    "a star in the script itself": {
        "train.py": each_step("from logs import *", "log(loss)"),
        "logs.py": LOG,
    },
    "a star hands on what the module imported": {
        "train.py": each_step("from mine import log", "log(loss)"),
        "mine/__init__.py": "from .hub import *",
        "mine/hub.py": "from .logs import log",
        "mine/logs.py": LOG,
    },
    "two modules that import each other": {
        "mine/__init__.py": "",
        "mine/train.py": each_step("from mine.logs import log", "log(loss)") + "rank = 0\n",
        "mine/logs.py": "from mine.train import rank\n" + LOG,
    },
    "packages that hand on each other's names": {
        "train.py": each_step("from one import log, lost", "log(loss)", "lost(loss)"),
        "one/__init__.py": "from two import log, lost",
        "two/__init__.py": "from one import lost\nfrom .logs import log",
        "two/logs.py": LOG,
    },
    "imports that depend on what is installed": {
        "train.py": each_step("try:\n    from logs import log\nexcept ImportError:\n    log = print", "log(loss)"),
        "logs.py": LOG,
    },
    "an import in a function": {
        "train.py": """
            def step(batch):
                from logs import log
                loss = model(batch)
                loss.backward()
                log(loss)

            for batch in train_loader:
                step(batch)
        """,
        "logs.py": LOG,
    },
    "a parameter hides the import": {
        "train.py": """
            from logs import log

            def train(log):
                for batch in train_loader:
                    loss = model(batch)
                    loss.backward()
                    log(loss)
        """,
        "logs.py": UNUSED,
    },
    "a function of the file hides the import": {
        "train.py": """
            from logs import log

            def log(loss):
                print(loss)  #= step

            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                log(loss)
        """,
        "logs.py": UNUSED,
    },
    "a function-level import hides that of the module": {
        "train.py": """
            from logs import log

            def train():
                from quiet import log
                for batch in train_loader:
                    loss = model(batch)
                    loss.backward()
                    log(loss)
        """,
        "logs.py": UNUSED,
        "quiet.py": LOG,
    },
    "two packages of one name: the nearest counts": {
        "vision/train.py": each_step("from utils.logs import log", "log(loss)"),
        "vision/utils/__init__.py": "",
        "vision/utils/logs.py": LOG,
        "text/train.py": "from utils.logs import log\nlog(0)\n",
        "text/utils/__init__.py": "",
        "text/utils/logs.py": "def log(loss):\n    print(loss)  #= once\n",
    },
    "the nearest of two modules": {
        "vision/main.py": each_step("import utils", "utils.log(loss)"),
        "vision/utils.py": LOG,
        "utils.py": UNUSED,
    },
    "folders without an __init__": {
        "train.py": each_step("from mine.tools.logs import log", "log(loss)"),
        "mine/tools/logs.py": LOG,
    },
    "a package comes before a module of its name": {
        "train.py": each_step("from utils import log", "log(loss)"),
        "utils/__init__.py": LOG,
        "utils.py": UNUSED,
    },
    "a module comes before a folder of its name": {
        "train.py": each_step("from utils import log", "log(loss)"),
        "utils/data.py": UNUSED,
        "utils.py": LOG,
    },
    "modules called like those of the standard library": {
        "train.py": each_step("from logging import log\nfrom types import note", "log(loss)", "note(loss)"),
        "logging.py": LOG,
        "types.py": LOG.replace("log", "note"),
    },
    "a library that is not there": {
        "train.py": each_step("from torch.utils import log", "log(loss)"),
        "utils.py": UNUSED,
    },
    "a package on a changed sys.path": {
        "tools/run/train.py": each_step(
            "import sys\nsys.path.insert(0, '../../lib/core')\nfrom engine.logs import log", "log(loss)"
        ),
        "lib/core/engine/logs.py": LOG,
    },
    "a folder of modules in a folder beside": {
        "jobs/big/train.py": each_step("from helpers.logs import log", "log(loss)"),
        "shared/helpers/logs.py": LOG,
    },
    "the only module of a name": {
        "jobs/train.py": each_step("import step_logs", "step_logs.log(loss)"),
        "common/step_logs.py": LOG,
    },
    "one of two modules of a name, which nothing tells apart": {
        "jobs/train.py": each_step("import step_logs", "step_logs.log(loss)"),
        "common/step_logs.py": UNUSED,
        "more/step_logs.py": UNUSED,
    },
    "a variable that holds a function of another file": {
        "train.py": each_step("from mine import note", "note(loss)"),
        "mine/__init__.py": "from .logs import log\nnote = log",
        "mine/logs.py": LOG,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_names_are_found_where_python_finds_them(files: dict[str, str]) -> None:
    check(files)


FILES = (
    "main.py",
    "torch.py",
    "mine/__init__.py",
    "mine/core.py",
    "mine/typing.py",
    "mine/deep/__init__.py",
    "mine/deep/part.py",
    "mine/deep/torch.py",
    "space/tools/run.py",
    "src/other/__init__.py",
    "src/other/main.py",
    "apps/one/main.py",
    "apps/one/utils.py",
    "apps/two/main.py",
    "apps/two/utils.py",
    "libs/deep/far/__init__.py",
    "libs/deep/far/near.py",
    "a/twice/__init__.py",
    "b/twice/__init__.py",
    "layers/__init__.py",
    "layers/layers.py",
    "layers/masks.py",
    "layers/fast/__init__.py",
    "layers/fast/scan.py",
    "nets/nets.py",
    "nets/heads.py",
)


@pytest.mark.parametrize(
    ("importer", "origin", "found", "left"),
    [
        ("main.py", "mine", "mine/__init__.py", ""),
        ("main.py", "mine.core", "mine/core.py", ""),
        ("main.py", "mine.core.Net.forward", "mine/core.py", "Net.forward"),
        ("main.py", "mine.Net", "mine/__init__.py", "Net"),
        ("main.py", "mine.deep.part.x", "mine/deep/part.py", "x"),
        ("main.py", "space.tools.run", "space/tools/run.py", ""),
        ("main.py", "space.tools.nothing", None, ""),
        ("main.py", "other.main", "src/other/main.py", ""),
        ("main.py", "numpy.random", None, ""),
        ("main.py", "torch.nn", "torch.py", "nn"),
        ("mine/core.py", ".deep", "mine/deep/__init__.py", ""),
        ("mine/core.py", ".Net", "mine/__init__.py", "Net"),
        ("mine/core.py", ".typing.List", "mine/typing.py", "List"),
        ("mine/core.py", "typing.List", None, ""),
        ("mine/core.py", "core.Net", "mine/core.py", "Net"),
        ("mine/deep/part.py", "..core.Net", "mine/core.py", "Net"),
        ("mine/deep/part.py", "..", "mine/__init__.py", ""),
        ("mine/deep/part.py", "....far.away", None, ""),
        ("mine/deep/part.py", "mine.core.Net", "mine/core.py", "Net"),
        ("apps/one/main.py", "utils.log", "apps/one/utils.py", "log"),
        ("apps/two/main.py", "utils.log", "apps/two/utils.py", "log"),
        ("apps/two/main.py", "mine.core", "mine/core.py", ""),
        ("main.py", "utils.log", None, ""),
        ("main.py", "far.near", "libs/deep/far/near.py", ""),
        ("main.py", "twice.x", None, ""),
        # A package that holds a module of its own name: the way that leads to a file wins.
        ("layers/masks.py", "layers.layers.Norm", "layers/layers.py", "Norm"),
        ("layers/layers.py", "layers.masks.causal", "layers/masks.py", "causal"),
        ("layers/fast/scan.py", "layers.masks.causal", "layers/masks.py", "causal"),
        ("nets/heads.py", "nets.nets.Net", "nets/nets.py", "Net"),
        ("nets/nets.py", "nets.heads", "nets/heads.py", ""),
        # A script in that folder finds the module beside it where no file of the package fits.
        ("layers/masks.py", "layers.Norm", "layers/layers.py", "Norm"),
        ("nets/heads.py", "nets.Net", "nets/nets.py", "Net"),
    ],
)
def test_origins_lead_to_files(importer: str, origin: str, found: str | None, left: str) -> None:
    modules = Modules([PurePath("/project") / path for path in FILES])
    answer = modules.resolve(FILES.index(importer), origin)
    expected = None if found is None else (FILES.index(found), tuple(left.split(".")) if left else ())
    assert answer == expected
