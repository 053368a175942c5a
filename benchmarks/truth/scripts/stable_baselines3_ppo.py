# requires: stable-baselines3==2.9.2
# packages: stable_baselines3
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
from stable_baselines3 import PPO

model = PPO("MlpPolicy", "CartPole-v1", device="cuda", n_steps=64, batch_size=32, n_epochs=3, verbose=0)
model.learn(256)
