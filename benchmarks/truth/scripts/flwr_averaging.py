# requires: flwr==1.42.0
# packages: flwr
# kind: federated and private
import torch
from flwr.app import ArrayRecord, MetricRecord, RecordDict
from flwr.serverapp.strategy.strategy_utils import aggregate_arrayrecords

data = [(torch.randn(8, 6), torch.randint(0, 2, (8,))) for _ in range(2)]
model = torch.nn.Linear(6, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
shared = ArrayRecord(model.state_dict())
for _ in range(8):
    replies = []
    for inputs, labels in data:
        model.load_state_dict(shared.to_torch_state_dict())
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs.to("cuda")), labels.to("cuda"))
        loss.backward()
        optimizer.step()
        metrics = MetricRecord({"loss": loss.item(), "num-examples": len(labels)})
        replies.append(RecordDict({"arrays": ArrayRecord(model.state_dict()), "metrics": metrics}))
    shared = aggregate_arrayrecords(replies, "num-examples")
