"""Prefill nodes with caches of their own, and the rules that spread requests over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.compilation import compiled_if_long
from perfmodel.labs.offloading.prefix_caching.prefill import LINEAR, SQUARE
from perfmodel.labs.offloading.prefix_caching.replay import NONE, Ints, routed
from perfmodel.labs.offloading.prefix_caching.traces import (
    NODE_TOKENS,
    PEAKS,
    REACHED,
    Requests,
)
from perfmodel.validation import Floats, non_negative, one_number, one_of, positive, whole

RULES = ("in turn", "sticky", "weighted", "longest prefix", "threshold")
"""What `route` may choose a node by."""
STICKY_TOKENS = 1024
"""Tokens that two prompts must share for "sticky" to send them to the same node."""
RATE = REACHED * PEAKS["8 x A800"]
"""FLOP/s of a node."""


class Routed(NamedTuple):
    """What happened to each request, arrays of one value a request."""

    node: Ints
    reused: Ints
    """Tokens."""
    prompt: Ints
    """Tokens."""
    wait: Floats
    """Seconds in the node's queue."""
    service: Floats
    """Seconds of prefill."""

    @property
    def first_token(self) -> Floats:
        """Seconds from arrival to the end of the prefill."""
        return self.wait + self.service

    @property
    def hit_ratio(self) -> float:
        """Share of the prompts' tokens that were reused."""
        return float(self.reused.sum() / self.prompt.sum())

    @property
    def busiest(self) -> float:
        """Share of the requests at the node that gets most of them."""
        return float(np.bincount(self.node).max() / self.node.size)


def route(
    requests: Requests,
    rule: str,
    weight: float = 1.0,
    *,
    nodes: int = 10,
    capacity: int | None = None,
    speed: float = 1.0,
    shared: bool = False,
) -> Routed:
    """Play all requests through `nodes` that prefill one at a time, first come, first served.

    "weighted" takes the node with the least wait plus `weight` times the prefill that its cache
    leaves: a weight of 0 is the least loaded node, of 1 the shortest time to the request's own
    first token. "longest prefix" takes that, and of equals the shortest wait; "threshold" only if
    the prefix is more than `weight` of the prompt, else the least loaded node. "sticky" keeps
    prompts together that agree in their first 1,024 tokens. A node has an LRU cache of `capacity`
    blocks, 3 million tokens if left out, or all `shared` one of `nodes` times as many. Requests
    come `speed` times as fast as recorded. No transfers, no batches; a block counts as cached from
    the arrival of its request on.

    >>> from perfmodel.labs.offloading.prefix_caching.traces import mooncake
    >>> run = route(mooncake("conversation"), "weighted", 1.0)
    >>> round(run.hit_ratio, 3), round(float(run.first_token.mean()), 2)
    (0.307, 1.53)
    """
    one_of("rule", rule, RULES)
    many = whole("nodes", nodes, 1)
    room = NODE_TOKENS // requests.block_tokens if capacity is None else capacity
    slots = whole("capacity", room, 1)
    arrival = requests.arrival / one_number("speed", speed, positive)
    stores = 1 if shared else many
    count, references = requests.prompt.size, requests.blocks.size
    used, oldest, held = np.zeros((3, stores), np.int64)
    chosen, hit = np.zeros((2, count), np.int64)
    wait, service = np.zeros((2, count))
    known_by = np.minimum(
        requests.start[:-1] + max(STICKY_TOKENS // requests.block_tokens, 1), requests.start[1:]
    )
    compiled_if_long(routed, many * references)(
        arrival,
        requests.blocks,
        requests.start,
        requests.prompt,
        requests.blocks[known_by - 1],
        RULES.index(rule),
        one_number("weight", weight, non_negative),
        LINEAR / RATE,
        SQUARE / RATE,
        requests.block_tokens,
        slots * many if shared else slots,
        np.full((stores, requests.distinct), NONE),
        np.zeros((stores, references), np.int64),
        used,
        oldest,
        held,
        np.zeros(many),
        chosen,
        hit,
        wait,
        service,
    )
    return Routed(chosen, hit, requests.prompt, wait, service)
