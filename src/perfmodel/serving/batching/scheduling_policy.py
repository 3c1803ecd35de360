"""The rules by which a server puts requests into iterations.

How `simulate_serving` plays one server (replica), in the words that its settings use:

- **Tokens in the cache.** A sequence with p prompt tokens that has put out g tokens holds
  p + g - 1 tokens: the newest is not yet read in. The iteration that puts out token g + 1 writes
  it, so that it needs room for p + g. The cache comes in blocks of `block` tokens; a sequence
  holds whole blocks, the last one partly filled.
- **An iteration** begins as soon as the one before has ended and somebody is there. Who arrives
  while one runs waits for its end; who arrives at the moment of its end is seen by the next.
- **Growth.** First the blocks are counted that the running sequences need for their next token.
  Where fewer are free, the most recently admitted sequence is evicted, until they suffice (under
  the order "priority": the one with the highest number, of these the most recently admitted).
  After an eviction nobody is admitted in this iteration.
- **Admission.** Waiting requests are taken in their order (`order`), while fewer than `batch` run
  and the free blocks, less those of the growth, less `spare`, hold the prompt and what was put out
  before an eviction. Who doesn't fit blocks all behind. The blocks of the whole prompt are taken at
  once. An evicted request waits at its old place: its arrival counts, not the eviction.
- **The end of an iteration** gives each decoding sequence one token, and each prompt that is read
  in wholly its first (or after an eviction its next). A sequence with all its tokens leaves at
  once, and its blocks are free.

The policies differ in what an iteration holds:

- "prefill first": if anybody can be admitted, their whole prompts and nothing else: who decodes
  waits. Otherwise all that decode.
- "decode first": all that decode, and with them the whole prompts of the newly admitted.
- "chunked prefill": all that decode, and with them prompt tokens up to `chunk` tokens of both
  together. A prompt is cut where the iteration is full and goes on in the next. A request that
  comes back from the host decodes at once, and needs room for its token too.
- "static": nobody is admitted before all of the batch have left; then as "prefill first". What
  has left costs nothing more, but its place stays empty.
- "shortest predicted", "priority": as "prefill first", with the order of this name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, inf
from typing import Any

from perfmodel.validation import Floats, at_least, non_negative, one_number, whole, within

COMPOSITIONS = ("static", "prefill first", "decode first", "chunked prefill")
ORDERS = ("arrival", "shortest predicted", "priority")
PREEMPTIONS = ("recompute", "swap")
RESERVATIONS = ("prompt", "whole")


@dataclass(frozen=True)
class BatchRules:
    """How one server batches; the module's text says what an iteration does.

    Raises
    ------
    ValueError
        If a setting is none of its words, or a number is out of its range.

    Examples
    --------
    >>> rules = BatchRules(64, cache_tokens=100_000, policy="chunked prefill", chunk_size=512)
    >>> rules.blocks
    6250
    """

    max_num_seqs: int = 256
    """Most sequences that run at a time."""
    cache_tokens: float = inf
    """Tokens that fit in the cache of keys and values; a rest of a block is lost."""
    block_size: int = 16
    """Tokens of a block; 1 gives a cache without rounding."""
    policy: str = "prefill first"
    """One of "prefill first", "decode first", "chunked prefill", "static", and, for "prefill
    first" in another order, "shortest predicted" and "priority"."""
    chunk_size: int = 512
    """Most tokens of an iteration under "chunked prefill", those that decode counted."""
    max_prefill_tokens: float = inf
    """Most prompt tokens of an iteration under "prefill first" and "decode first"; a longer prompt
    goes alone."""
    preempt: str = "recompute"
    """What becomes of an evicted sequence's cache. "recompute": it is dropped; admitted again, the
    prompt and all tokens put out so far are read in as a new prompt, which puts out the next.
    "swap": it is moved to the host and back at the next admission; then the sequence goes on."""
    swap_token: float = 0.0
    """Seconds to move a token's keys and values out or in. The next iteration lasts longer by this
    for each token moved."""
    order: str = "arrival"
    """Order of the waiting: "arrival", "shortest predicted" (predicted output) or "priority" (the
    lower first); ties by arrival."""
    reserve: str = "prompt"
    """"prompt": blocks are taken as the sequence grows; "whole": at admission for all tokens that
    it will ever hold, as if its output were known, so that nobody is evicted."""
    watermark: float = 0.0
    """Share of all blocks that an admission leaves free where others run, against evictions."""

    def __post_init__(self) -> None:
        """Refuse words and numbers that aren't allowed."""
        for name in ("max_num_seqs", "block_size", "chunk_size"):
            object.__setattr__(self, name, whole(name, getattr(self, name), low=1))
        for name in ("cache_tokens", "max_prefill_tokens"):
            if getattr(self, name) != inf:
                self._set_number(name, partial(at_least, low=1))
        self._set_number("swap_token", non_negative)
        self._set_number("watermark", partial(within, low=0, high=1))
        _word("policy", self.policy, (*COMPOSITIONS, *ORDERS[1:]))
        _word("order", self.order, ORDERS)
        _word("preempt", self.preempt, PREEMPTIONS)
        _word("reserve", self.reserve, RESERVATIONS)
        if self.policy in ORDERS and self.order not in ("arrival", self.policy):
            raise ValueError(f"order must agree with policy {self.policy!r}, got {self.order!r}")
        if self.cache_tokens < self.block_size:
            raise ValueError(
                f"cache_tokens must hold a block of {self.block_size}, got {self.cache_tokens:g}"
            )

    def _set_number(self, name: str, check: Callable[[str, Any], Floats]) -> None:
        object.__setattr__(self, name, one_number(name, getattr(self, name), check))

    @property
    def blocks(self) -> int:
        """Whole blocks of the cache; 10^15 stand for one without limit."""
        return floor(min(self.cache_tokens / self.block_size, 1e15))

    @property
    def watermark_blocks(self) -> int:
        """Whole blocks that an admission leaves free where others run."""
        # 0.07 * 100 is a little above 7, which must not make it 8.
        return ceil(self.watermark * self.blocks - 1e-6)

    @property
    def composition(self) -> str:
        """What an iteration holds: the policy, "prefill first" for those that name an order."""
        return "prefill first" if self.policy in ORDERS else self.policy

    @property
    def turn(self) -> str:
        """The order of the waiting."""
        return self.policy if self.policy in ORDERS else self.order


def _word(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
