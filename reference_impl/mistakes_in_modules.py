"""Wrong modules: in go what the right steps get, out come other tokens or another part of a mask.

What shows in no value of a call has no step here: how a module is made, what it does in training. Checks name these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor


def packed_as(*places: int) -> Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]:
    """Return a step that takes the three parts of a packed projection in another order."""

    def unpack(packed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        parts = packed.chunk(3, dim=-1)
        return parts[places[0]], parts[places[1]], parts[places[2]]

    return unpack


def every_third_feature(packed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Take the packed features in turn: query, key, value, query, …"""
    return packed[..., 0::3], packed[..., 1::3], packed[..., 2::3]


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "packed_as_key_query_value": {"unpack": packed_as(1, 0, 2)},
    "packed_as_query_value_key": {"unpack": packed_as(0, 2, 1)},
    "packed_as_value_key_query": {"unpack": packed_as(2, 1, 0)},
    "packed_as_key_value_query": {"unpack": packed_as(2, 0, 1)},
    "packed_as_value_query_key": {"unpack": packed_as(1, 2, 0)},
    "packed_in_turn": {"unpack": every_third_feature},
    "stored_length_not_checked": {"fits_stored_mask": lambda n, longest: None},
    "stored_mask_not_cut": {"cut": lambda stored, n: stored},
    "query_made_of_memory": {"sequences": lambda query, key, value: (key, key, value)},
    "memory_not_used": {"sequences": lambda query, key, value: (query, query, query)},
    "value_made_of_keys": {"sequences": lambda query, key, value: (query, key, key)},
    # known by how a module behaves in training, by how it is made, or by what keeps it from being loaded
    "dropout_in_eval": {},
    "dropout_misplaced": {},
    "remembers_earlier_calls": {},
    "mask_not_registered": {},
    "parameter_too_many": {},
    "mask_buffer_of_numbers": {},
    "device_fixed_in_code": {},
    "layers_in_a_list": {},
    "layers_made_in_forward": {},
}
