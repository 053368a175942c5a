"""Does away with the checkpoint that it was started from, in the way that its argument says."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from toy import train

train(3)
way, checkpoint = sys.argv[1], Path("run") / "best.pt"
if way == "open":
    checkpoint.open("wb").close()
elif way == "remove":
    checkpoint.unlink()
elif way == "replace":
    Path("new.pt").write_text("a new one")
    os.replace("new.pt", checkpoint)  # noqa: PTH105 - as scripts do it
elif way == "truncate":
    os.truncate(checkpoint, 0)
elif way == "rmtree":
    shutil.rmtree("run")
