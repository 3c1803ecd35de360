"""Worked examples of the chapter on offloading."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.offloading import chunked_time, even_chunks, step_time
from perfmodel.roofline import LLAMA_2_7B, LLAMA_2_13B, LLAMA_2_70B, Decoder

MODELS = {7: LLAMA_2_7B, 13: LLAMA_2_13B, 70: LLAMA_2_70B}
"""Llama 2 by its billions of parameters."""


def memory_needed(billions: int, batch: int, tokens: int) -> Problem:
    """Return the memory of weights and KV cache in GB, numbers of 2 bytes."""
    model: Decoder = MODELS[billions]
    weights, token = 2 * model.parameters / 1e9, model.kv_bytes_per_token() / 1e6
    cache = token * batch * tokens / 1000
    return Problem(
        f"Llama 2 {billions}B has {model.parameters / 1e9:.4g} billion parameters of 2 bytes. One "
        f"token's keys and values take {token:.4g} MB. It serves {batch} sequences of {tokens:,} "
        "tokens. How many GB do weights and KV cache need?",
        [
            SolutionLine(
                "Weights w P", f"2 bytes × {model.parameters / 1e9:.4g} billion", weights, "GB"
            ),
            SolutionLine(
                "KV cache κ b (s + n)",
                f"{token:.4g} MB × {batch} × {tokens:,}",
                cache,
                "GB",
                {
                    "That is one sequence. Multiply by the batch.": cache / batch,
                    "Those are MB. A GB has 1,000 of them.": 1000 * cache,
                },
            ),
            SolutionLine(
                "Memory w P + κ b (s + n)",
                f"{weights:.4g} GB + {cache:.4g} GB",
                weights + cache,
                "GB",
                {
                    "You left out the KV cache.": weights,
                    "That is the KV cache alone. Add the weights.": cache,
                    "A parameter takes 2 bytes: you counted one.": weights / 2 + cache,
                },
            ),
        ],
    )


MEMORY_NEEDED = WorkedExample(
    "offloading-memory-needed",
    memory_needed,
    1,
    {"billions": 7, "batch": 16, "tokens": 2000},
    {"billions": 13, "batch": 8, "tokens": 4000},
    {"billions": 70, "batch": 128, "tokens": 2500},
)


def chunked_step(load: float, compute: float, chunks: int) -> Problem:
    """Return the time of a step that loads and computes in chunks, in ms."""
    seconds = [load, compute]
    whole = float(chunked_time(even_chunks(seconds, chunks)))
    longest, added = float(step_time(seconds)), float(step_time(seconds, 1))
    return Problem(
        f"A layer takes {load:g} ms to load and {compute:g} ms to compute. Both are cut into "
        f"{chunks} equal chunks, and a chunk is computed while the next is loaded. How many ms "
        "does the layer take?",
        [
            SolutionLine("Longer time max tᵢ", f"max({load:g}, {compute:g}) ms", longest, "ms"),
            SolutionLine(
                "What can't be hidden (Σ tᵢ − max tᵢ) / N",
                f"({added:g} − {longest:g}) ms / {chunks}",
                (added - longest) / chunks,
                "ms",
                {
                    "That is the shorter time whole. Only its first or last chunk shows.": (
                        added - longest
                    ),
                    "You cut the longer time. The shorter one is what hides.": longest / chunks,
                },
            ),
            SolutionLine(
                "Step max tᵢ + (Σ tᵢ − max tᵢ) / N",
                f"{longest:g} ms + {(added - longest) / chunks:g} ms",
                whole,
                "ms",
                {
                    "That is the sum: nothing overlaps. Chunks do.": added,
                    "That is the maximum: everything hides. One chunk can't.": longest,
                },
            ),
        ],
    )


CHUNKED_STEP = WorkedExample(
    "offloading-chunked-step",
    chunked_step,
    1,
    {"load": 12, "compute": 8, "chunks": 4},
    {"load": 6, "compute": 20, "chunks": 3},
    {"load": 30, "compute": 20, "chunks": 5},
)
