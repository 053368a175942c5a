"""Image-text models: contrastive training, captioning, and what is made of them afterwards."""
