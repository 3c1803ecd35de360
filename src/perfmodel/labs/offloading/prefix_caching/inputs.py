"""Constants of the model and the servers in Mooncake's paper.

Source: R. Qin et al., "Mooncake: Trading More Storage for Less Computation", FAST 2025: Eq. 1 and 2
and Sec. 2.2 for Llama-3-70B, Sec. 5.3.1 for the cache of a node.
"""

from __future__ import annotations

from typing import Final

BLOCK_TOKENS: Final = 512
LAYERS: Final = 80
WIDTH: Final = 8192
ATTENTION_FACTOR: Final = 4.0
LINEAR_FACTOR: Final = 22.0
QUERIES_PER_KV_HEAD: Final = 8
NUMBER_BYTES: Final = 2
KV_BYTES: Final = LAYERS * 2 * WIDTH // QUERIES_PER_KV_HEAD * NUMBER_BYTES
"""Bytes of keys and values for a token: 320 KiB."""
NODE_TOKENS: Final = 3_000_000
"""Tokens that the paper takes for a node's 1 TB of memory."""
NODE_BLOCKS: Final = NODE_TOKENS // BLOCK_TOKENS
MANY_TOKENS: Final = 50_000_000
MANY_BLOCKS: Final = MANY_TOKENS // BLOCK_TOKENS
PEAKS: Final = {"8 x A800": 8 * 312e12, "8 x H800": 8 * 989e12}
"""FLOP/s of a server, dense 16-bit."""
REACHED: Final = 0.5
"""Share of the peak that a prefill reaches: an assumption of this lab."""
