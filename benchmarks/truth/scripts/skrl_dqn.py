# requires: skrl==2.1.1 gymnasium==1.4.0
# packages: skrl
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
import gymnasium as gym
import torch
from skrl.agents.torch.dqn import DQN, DQN_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer


class Network(DeterministicMixin, Model):
    def __init__(self, observations, actions):
        Model.__init__(self, observation_space=observations, action_space=actions, device="cuda:0")
        DeterministicMixin.__init__(self)
        self.network = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

    def compute(self, inputs, role=""):
        return self.network(inputs["observations"]), {}


environment = wrap_env(gym.make("CartPole-v1"))
spaces = environment.observation_space, environment.action_space
models = {"q_network": Network(*spaces), "target_q_network": Network(*spaces)}
agent = DQN(
    models={name: model.to("cuda:0") for name, model in models.items()},
    memory=RandomMemory(memory_size=200, num_envs=1, device="cuda:0"),
    observation_space=spaces[0],
    action_space=spaces[1],
    device="cuda:0",
    cfg=DQN_CFG(batch_size=16, learning_starts=20, random_timesteps=20),
)
SequentialTrainer(env=environment, agents=agent, cfg={"timesteps": 45, "headless": True}).train()
