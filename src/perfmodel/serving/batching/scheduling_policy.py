"""The scheduling policy of one server: which requests and tokens go into its next iteration.

`simulate_serving` follows these rules on each replica:

- **Tokens in the KV cache.** A running request with p prompt tokens and g generated tokens holds
  p + g - 1 tokens: the newest is not in the cache yet. The iteration that generates token g + 1
  writes it, and therefore needs capacity for p + g. The cache has blocks of `block_size` tokens.
  A request holds whole blocks, the last one partly filled.
- **An iteration** begins as soon as the one before has ended and a request is there. A request
  that arrives while an iteration runs waits for its end. One that arrives exactly at the end is
  considered for the next iteration.
- **Growth.** First the blocks are counted that the running requests need for their next token.
  While fewer are free, the most recently admitted request is preempted (under the order
  "priority": the one with the highest number, of these the most recently admitted). After a
  preemption nothing is admitted in this iteration.
- **Admission.** Waiting requests are admitted in their `order`, while fewer than `max_num_seqs` run
  and the free blocks, less those for growth and those of the `watermark`, hold the prompt and what
  was generated before a preemption. A request that doesn't fit blocks all behind it. The blocks of
  the whole prompt are allocated at once. A preempted request waits at its old position: its arrival
  counts, not the preemption.
- **The end of an iteration** gives each decoding request one token. A prompt whose prefill is
  complete gets its first (or after a preemption its next). A request with all its tokens leaves at
  once, and its blocks are free.

The policies differ in what an iteration holds:

- "prefill first": if any request can be admitted, the whole prompts of the admitted and nothing
  else, so that decoding waits. Otherwise all that decode.
- "decode first": all that decode, and with them the whole prompts of the newly admitted.
- "chunked prefill": all that decode, and with them prompt tokens, up to `chunk_size` tokens of both
  together. A prompt is cut where the iteration is full and goes on in the next. A request that
  is swapped in from the host decodes at once, and needs capacity for its token too.
- "static": nothing is admitted before the whole batch has finished; then as "prefill first".
  A finished request costs nothing more, but its slot stays empty.
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
    >>> rules.num_blocks
    6250
    """

    max_num_seqs: int = 256
    """Most sequences that run at a time."""
    cache_tokens: float = inf
    """Tokens that fit in the KV cache; a rest of a block is lost."""
    block_size: int = 16
    """Tokens of a block; 1 gives a cache without rounding."""
    policy: str = "prefill first"
    """One of "prefill first", "decode first", "chunked prefill", "static", and, for "prefill
    first" in another order, "shortest predicted" and "priority"."""
    chunk_size: int = 512
    """Token budget of an iteration under "chunked prefill", decoding included; in vLLM
    `max_num_batched_tokens`."""
    max_prefill_tokens: float = inf
    """Most prompt tokens of an iteration under "prefill first" and "decode first"; a longer prompt
    goes alone."""
    preempt: str = "recompute"
    """What becomes of a preempted request's KV cache. "recompute": it is dropped. Admitted again,
    the request prefills its prompt and all generated tokens as one new prompt. "swap": it is moved
    to the host, and back at the next admission; then decoding goes on."""
    swap_token: float = 0.0
    """Seconds to swap a token's KV cache out or in. The next iteration lasts longer by this
    for each token moved."""
    order: str = "arrival"
    """Order of the waiting: "arrival", "shortest predicted" (predicted output) or "priority" (the
    lower first); ties by arrival."""
    reserve: str = "prompt"
    """"prompt": blocks are allocated as the request grows; "whole": at admission, for all tokens
    that it will ever hold, as if its output were known, so that nothing is preempted."""
    watermark: float = 0.0
    """Fraction of blocks that an admission leaves free where others run, against preemptions."""

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
    def num_blocks(self) -> int:
        """Whole blocks of the KV cache, vLLM's `num_gpu_blocks`; 10^15 for one without limit."""
        return floor(min(self.cache_tokens / self.block_size, 1e15))

    @property
    def watermark_blocks(self) -> int:
        """Whole blocks that an admission leaves free where others run."""
        # 0.07 * 100 is a little above 7, which must not make it 8.
        return ceil(self.watermark * self.num_blocks - 1e-6)

    @property
    def composition(self) -> str:
        """What an iteration holds: the policy, "prefill first" for those that name an order."""
        return "prefill first" if self.policy in ORDERS else self.policy

    @property
    def turn(self) -> str:
        """The order of the waiting requests."""
        return self.policy if self.policy in ORDERS else self.order


def _word(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
