"""Attributes of tensors that are no tensors: the host reads them without waiting for the device."""

from __future__ import annotations

NUMBERS = frozenset(
    "ndim itemsize nbytes is_leaf requires_grad layout version _version output_nr retains_grad "
    "is_cuda is_cpu is_sparse is_meta is_mps is_xpu is_quantized is_nested is_sparse_csr is_mkldnn "
    "num_nodes num_edges num_graphs num_features num_node_features num_edge_features batch_size".split()  # of graphs
)
"""Python numbers, truth values, and constants that are compared like them."""
VIEWS = frozenset("T mT H mH real imag data".split())
"""Tensors of the same data."""
