# requires: kornia==0.9.0
# packages: kornia
# kind: vision
import kornia
import torch

image = torch.rand(1, 1, 32, 32, device="cuda")
angle = torch.tensor([8.0], device="cuda")
center = torch.tensor([[16.0, 16.0]], device="cuda")
turn = kornia.geometry.get_rotation_matrix2d(center, angle, torch.ones(1, 2, device="cuda"))
target = kornia.geometry.warp_affine(image, turn, (32, 32))
registrator = kornia.geometry.ImageRegistrator("similarity", num_iterations=10, pyramid_levels=2).to("cuda")
registrator.register(image, target)
