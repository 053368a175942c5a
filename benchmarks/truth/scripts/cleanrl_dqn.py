# repository: vwxyzjn/cleanrl@fe8d8a03c41a7ef5b523e2e354bd01c363e786bb
# requires: gymnasium==0.29.1 tensorboard tyro
# packages: cleanrl/cleanrl cleanrl/cleanrl_utils
# kind: reinforcement learning
# per: gymnasium.vector.SyncVectorEnv.step
import runpy
import sys
from pathlib import Path

options = {
    "total-timesteps": 200,
    "buffer-size": 200,
    "batch-size": 16,
    "learning-starts": 40,
    "train-frequency": 4,
    "exploration-fraction": 0.2,
    "target-network-frequency": 50,
}
sys.argv = ["dqn.py", *(f"--{name}={value}" for name, value in options.items())]
runpy.run_path(str(Path("cleanrl", "dqn.py").resolve()), run_name="__main__")
