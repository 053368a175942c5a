# repository: vwxyzjn/cleanrl@fe8d8a03c41a7ef5b523e2e354bd01c363e786bb
# requires: gymnasium==0.29.1 tensorboard tyro
# packages: cleanrl/cleanrl cleanrl/cleanrl_utils
# kind: reinforcement learning
# per: gymnasium.vector.SyncVectorEnv.step
import runpy
import sys
from pathlib import Path

sys.argv = ["ppo.py", "--total-timesteps=192", "--num-steps=16", "--update-epochs=2"]
runpy.run_path(str(Path("cleanrl", "ppo.py").resolve()), run_name="__main__")
