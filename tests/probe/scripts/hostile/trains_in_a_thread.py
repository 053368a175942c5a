"""The main thread only waits."""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

threading.Thread(target=train, args=(5000,)).start()
