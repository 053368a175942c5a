"""The settings of a whole project: what declares them, what sets them, and what nothing calls to set them."""
