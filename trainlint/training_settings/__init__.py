"""Settings of training that stand in files of their own: DeepSpeed's in JSON, those of `accelerate launch` in YAML."""
