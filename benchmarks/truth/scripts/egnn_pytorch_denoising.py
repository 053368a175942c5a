# requires: egnn-pytorch==0.2.8
# packages: egnn_pytorch
# kind: graphs
import torch
from egnn_pytorch import EGNN_Network

model = EGNN_Network(
    num_tokens=10,
    num_positions=12,
    dim=16,
    depth=2,
    num_nearest_neighbors=4,
    only_sparse_neighbors=False,
    num_adj_degrees=2,
    adj_dim=4,
    norm_coors=True,
    coor_weights_clamp_value=2.0,
).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    tokens, positions = torch.randint(0, 10, (2, 12), device="cuda"), torch.randn(2, 12, 3, device="cuda")
    order = torch.arange(12, device="cuda")
    neighbors = (order[:, None] - order[None]).abs() <= 1
    mask = torch.ones(2, 12, dtype=torch.bool, device="cuda")
    noisy = positions + torch.randn_like(positions)
    features, denoised = model(tokens, noisy, adj_mat=neighbors, mask=mask)
    loss = torch.nn.functional.mse_loss(denoised[mask], positions[mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
