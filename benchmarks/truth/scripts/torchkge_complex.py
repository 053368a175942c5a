# requires: torchkge==0.17.7
# packages: torchkge
# kind: graphs
import numpy as np
import pandas as pd
import torch
from torchkge.data_structures import KnowledgeGraph
from torchkge.evaluation import LinkPredictionEvaluator
from torchkge.models import ComplExModel
from torchkge.sampling import BernoulliNegativeSampler
from torchkge.utils import DataLoader, LogisticLoss

rng = np.random.default_rng(0)
facts = pd.DataFrame({name: rng.integers(0, size, 300) for name, size in (("from", 30), ("to", 30), ("rel", 4))})
graph = KnowledgeGraph(df=facts)
model, loss_of = ComplExModel(8, graph.n_ent, graph.n_rel), LogisticLoss()
model.cuda()
loss_of.cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
sampler = BernoulliNegativeSampler(graph)
for _ in range(4):
    for heads, tails, relations in DataLoader(graph, batch_size=64, use_cuda="batch"):
        corrupt_heads, corrupt_tails = sampler.corrupt_batch(heads, tails, relations)
        optimizer.zero_grad()
        positive, negative = model(heads, tails, relations, corrupt_heads, corrupt_tails)
        loss_of(positive, negative).backward()
        optimizer.step()
    model.normalize_parameters()
LinkPredictionEvaluator(model, graph).evaluate(b_size=100, verbose=False)
