# requires: denoising-diffusion-pytorch==2.3.4
# packages: denoising_diffusion_pytorch
# kind: diffusion
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

model = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
diffusion = GaussianDiffusion(model, image_size=16, timesteps=20).cuda()
optimizer = torch.optim.Adam(diffusion.parameters())
for _ in range(12):
    diffusion(torch.rand(2, 3, 16, 16, device="cuda")).backward()
    optimizer.step()
    optimizer.zero_grad()
