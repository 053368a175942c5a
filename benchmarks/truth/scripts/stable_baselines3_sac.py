# requires: stable-baselines3==2.9.2
# packages: stable_baselines3
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
from stable_baselines3 import SAC

model = SAC("MlpPolicy", "Pendulum-v1", device="cuda", learning_starts=40, batch_size=16)
model.learn(65)
