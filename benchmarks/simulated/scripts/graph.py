"""Messages between the nodes of random graphs: gathered, added up, masked, counted."""

import sys

import torch
from torch import nn

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, NODES, EDGES, WIDTH, GRAPHS = 44, 40 * SIZE, 160 * SIZE, 16 * SIZE, 4
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.of_messages, self.of_nodes = nn.Linear(2 * width, width), nn.Linear(width, width)

    def forward(self, nodes, sources, targets):
        messages = self.of_messages(torch.cat((nodes[sources], nodes[targets]), dim=1)).relu()
        collected = torch.zeros_like(nodes).index_add(0, targets, messages)
        return self.of_nodes(nodes + collected).relu()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer(WIDTH) for _ in range(2))
        self.last = nn.Linear(WIDTH, 2)

    def forward(self, nodes, sources, targets, graphs):
        for layer in self.layers:
            nodes = layer(nodes, sources, targets)
        pooled = torch.zeros(GRAPHS, WIDTH, device=nodes.device)
        pooled = pooled.scatter_add(0, graphs[:, None].expand_as(nodes), nodes)
        return nodes, self.last(pooled)


features = torch.randn(STEPS, NODES, WIDTH)
edges = torch.randint(NODES, (STEPS, 2, EDGES))
graphs = (torch.arange(NODES) * GRAPHS // NODES).to(device)
labels = torch.randint(2, (STEPS, GRAPHS))
model = Model().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []

for step in range(STEPS):
    nodes = features[step].to(device)  # copy to device 1/step
    links = edges[step].to(device)  # copy to device 1/step
    wanted = labels[step].to(device)  # copy to device 1/step
    links = links[:, links[0] != links[1]]  # wait 1/step
    ids = torch.unique(links)  # wait 1/step
    degrees = torch.bincount(links[1], minlength=NODES)  # wait 2/step
    sizes = torch.repeat_interleave(degrees, degrees)  # wait 2/step
    known = torch.repeat_interleave(graphs.bincount(minlength=GRAPHS), 2, output_size=2 * GRAPHS)  # wait 2/step
    states, outputs = model(nodes, links[0], links[1], graphs)
    busy = states[degrees > 4]  # wait 1/step
    calm = torch.where(degrees > 4, 0.0, states.mean(1))
    loss = nn.functional.cross_entropy(outputs, wanted) + 1e-3 * busy.square().sum() + 1e-3 * calm.sum()
    optimizer.zero_grad()
    loss.backward()  # wait 1/step
    optimizer.step()
    losses.append(loss.detach())
    states.detach()[degrees == 0] = 0.0
    isolated = (degrees == 0).nonzero()  # wait 1/step
    if len(isolated) + len(ids) + len(sizes) < len(known):
        break
    if step % 5 == 4:
        print(step, loss.item(), len(isolated))  # wait 1/5 steps
