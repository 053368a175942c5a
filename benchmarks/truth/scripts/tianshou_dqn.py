# requires: tianshou==2.0.1
# packages: tianshou
# kind: reinforcement learning
# per: tianshou.env.DummyVectorEnv.step
import gymnasium as gym
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

environments = DummyVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(2)])
tests = DummyVectorEnv([lambda: gym.make("CartPole-v1")])
network = Net(state_shape=(4,), action_shape=2, hidden_sizes=[16, 16]).to("cuda")
policy = DiscreteQLearningPolicy(model=network, action_space=gym.spaces.Discrete(2), eps_training=0.1)
algorithm = DQN(
    policy=policy,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=0.9,
    n_step_return_horizon=3,
    target_update_freq=10,
).to("cuda")
collector = Collector(algorithm, environments, VectorReplayBuffer(500, 2), exploration_noise=True)
collector.reset()
collector.collect(n_step=32)
algorithm.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        test_collector=Collector(algorithm, tests),
        max_epochs=2,
        epoch_num_steps=60,
        collection_step_num_env_steps=4,
        test_step_num_episodes=1,
        batch_size=16,
        update_step_num_gradient_steps_per_sample=0.25,
        show_progress=False,
    )
)
