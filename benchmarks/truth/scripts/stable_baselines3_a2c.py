# requires: stable-baselines3==2.9.2
# packages: stable_baselines3
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
from stable_baselines3 import A2C

model = A2C("MlpPolicy", "CartPole-v1", device="cuda", n_steps=5)
model.learn(120)
