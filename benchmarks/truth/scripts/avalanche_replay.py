# requires: avalanche-lib==0.6.0
# packages: avalanche
# kind: trainer
import torch
from avalanche.benchmarks import benchmark_from_datasets
from avalanche.benchmarks.utils import as_classification_dataset
from avalanche.evaluation.metrics import accuracy_metrics, forgetting_metrics, loss_metrics
from avalanche.logging import TextLogger
from avalanche.models import SimpleMLP
from avalanche.training.plugins import EvaluationPlugin
from avalanche.training.supervised import Replay
from torch.utils.data import TensorDataset


class Labelled(TensorDataset):
    def __init__(self, first_class, size):
        super().__init__(torch.randn(size, 16), torch.randint(first_class, first_class + 2, (size,)))
        self.targets = self.tensors[1].tolist()


def stream(size):
    return [as_classification_dataset(Labelled(first_class, size)) for first_class in (0, 2)]


benchmark = benchmark_from_datasets(train=stream(96), test=stream(32))
model = SimpleMLP(num_classes=4, input_size=16, hidden_size=16)
strategy = Replay(
    model=model,
    optimizer=torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9),
    criterion=torch.nn.CrossEntropyLoss(),
    mem_size=32,
    train_mb_size=16,
    train_epochs=3,
    eval_mb_size=16,
    device="cuda",
    evaluator=EvaluationPlugin(
        accuracy_metrics(minibatch=True, epoch=True, experience=True),
        loss_metrics(minibatch=True, epoch=True),
        forgetting_metrics(experience=True),
        loggers=[TextLogger()],
    ),
)
for experience in benchmark.streams["train"]:
    strategy.train(experience)
    strategy.eval(benchmark.streams["test"])
