# requires: torchrl==0.14.1 gymnasium==1.4.0
# packages: torchrl
# kind: reinforcement learning
# per: gymnasium.wrappers.TimeLimit.step
import torch
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import GymEnv, RewardSum, StepCounter, TransformedEnv
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

environment = TransformedEnv(GymEnv("Pendulum-v1", device="cuda"))
environment.append_transform(StepCounter(max_steps=40))
environment.append_transform(RewardSum())
layers = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2), NormalParamExtractor())
actor = ProbabilisticActor(
    TensorDictModule(layers.cuda(), in_keys=["observation"], out_keys=["loc", "scale"]),
    spec=environment.action_spec,
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    distribution_kwargs={"low": -2.0, "high": 2.0},
    return_log_prob=True,
)
critic = ValueOperator(
    torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).cuda(),
    in_keys=["observation"],
)
collector = Collector(environment, actor, frames_per_batch=64, total_frames=192, device="cuda")
buffer = ReplayBuffer(storage=LazyTensorStorage(64, device="cuda"), sampler=SamplerWithoutReplacement(), batch_size=16)
advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=True)
loss_of = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_bonus=True)
optimizer = torch.optim.Adam(loss_of.parameters(), lr=3e-4)
for batch in collector:
    for _ in range(2):
        advantage(batch)
        buffer.extend(batch.reshape(-1))
        for _ in range(4):
            losses = loss_of(buffer.sample())
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            torch.nn.utils.clip_grad_norm_(loss_of.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
collector.shutdown()
