# requires: pykeen==1.11.1
# packages: pykeen
# kind: graphs
from pykeen.pipeline import pipeline

pipeline(
    dataset="Nations",
    model="TransE",
    device="cuda",
    random_seed=0,
    evaluator_kwargs={"batch_size": 32},
    training_kwargs={"num_epochs": 3, "batch_size": 64, "use_tqdm": False, "use_tqdm_batch": False},
)
