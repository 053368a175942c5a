# requires: diffusers==0.42.1
# packages: diffusers
# kind: diffusion
import torch
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel

model = UNet2DModel(
    sample_size=16,
    block_out_channels=(16, 32),
    norm_num_groups=8,
    layers_per_block=1,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
).cuda()
average = EMAModel(model.parameters())
average.to("cuda")
scheduler = DDPMScheduler(num_train_timesteps=100)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(12):
    images, noise = torch.randn(2, 3, 16, 16, device="cuda"), torch.randn(2, 3, 16, 16, device="cuda")
    times = torch.randint(0, 100, (2,), device="cuda")
    loss = torch.nn.functional.mse_loss(model(scheduler.add_noise(images, noise, times), times).sample, noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    average.step(model.parameters())
    optimizer.zero_grad()
