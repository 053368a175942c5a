# requires: torchrl==0.14.1 gymnasium==1.4.0
# packages: torchrl
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs import GymEnv
from torchrl.modules import EGreedyModule, QValueModule
from torchrl.objectives import DQNLoss, SoftUpdate

environment = GymEnv("CartPole-v1", device="cuda")
network = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)).cuda()
policy = TensorDictSequential(
    TensorDictModule(network, in_keys=["observation"], out_keys=["action_value"]),
    QValueModule(spec=environment.action_spec),
)
greedy = EGreedyModule(environment.action_spec, annealing_num_steps=100, eps_init=0.5, device="cuda")
collector = Collector(
    environment, TensorDictSequential(policy, greedy), frames_per_batch=8, total_frames=160, device="cuda"
)
buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(500, device="cuda"), batch_size=16)
loss_of = DQNLoss(policy, action_space=environment.action_spec, delay_value=True)
loss_of.make_value_estimator(gamma=0.99)
target = SoftUpdate(loss_of, eps=0.99)
optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
for batch in collector:
    buffer.extend(batch)
    sample = buffer.sample()
    loss_of(sample)["loss"].backward()
    optimizer.step()
    optimizer.zero_grad()
    target.step()
    greedy.step(batch.numel())
collector.shutdown()
