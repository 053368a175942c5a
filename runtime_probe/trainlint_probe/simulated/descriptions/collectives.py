"""Operators by which ranks exchange tensors."""

from __future__ import annotations

COLLECTIVES = frozenset(
    "allreduce_ allreduce_coalesced_ allgather_ _allgather_base_ allgather_coalesced_ allgather_into_tensor_coalesced_ "
    "reduce_scatter_ _reduce_scatter_base_ reduce_scatter_tensor_coalesced_ reduce_ gather_ scatter_ alltoall_ "
    "alltoall_base_ broadcast_ barrier monitored_barrier_ send recv_ recv_any_source_ all_reduce all_reduce_ "
    "all_gather_into_tensor reduce_scatter_tensor all_to_all_single broadcast".split()
)
"""Operators of c10d and of its functional twins."""
_NAMESPACES = ("c10d", "_c10d_functional")


def is_collective(namespace: str, name: str) -> bool:
    """Whether an operator sends tensors between ranks."""
    return namespace in _NAMESPACES and name in COLLECTIVES
