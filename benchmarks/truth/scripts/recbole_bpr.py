# requires: recbole==1.2.1 numpy==1.26.4 pandas==2.3.3
# packages: recbole
# kind: recommendation
from pathlib import Path

import recbole
from recbole.quick_start import run_recbole

settings = {
    "data_path": str(Path(recbole.__file__).parent / "dataset_example"),
    "epochs": 1,
    "train_batch_size": 4096,
    "eval_batch_size": 100000,
    "embedding_size": 8,
    "gpu_id": "0",
    "show_progress": False,
    "worker": 0,
}
run_recbole(model="BPR", dataset="ml-100k", config_dict=settings, saved=False)
