# requires: stable-baselines3==2.9.2
# packages: stable_baselines3
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
from stable_baselines3 import DQN

model = DQN("MlpPolicy", "CartPole-v1", device="cuda", learning_starts=50, train_freq=4, batch_size=16)
model.learn(170)
