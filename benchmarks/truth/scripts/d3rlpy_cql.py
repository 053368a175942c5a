# requires: d3rlpy==2.8.1
# packages: d3rlpy
# kind: reinforcement learning
import d3rlpy
import numpy as np

rng = np.random.default_rng(0)
observations = rng.normal(size=(200, 6)).astype("float32")
actions = rng.uniform(-1, 1, size=(200, 2)).astype("float32")
rewards = rng.normal(size=200).astype("float32")
ends = np.zeros(200, dtype="float32")
ends[19::20] = 1
dataset = d3rlpy.dataset.MDPDataset(observations, actions, rewards, ends)
learner = d3rlpy.algos.CQLConfig(batch_size=16).create(device="cuda:0")
learner.build_with_dataset(dataset)
for _ in range(15):
    learner.update(dataset.sample_transition_batch(16))
