"""What the reader does: bytes of a cache, a step of decoding, the worth of a GB of DRAM."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task


def _cache(layers: float, hidden: float, sequences: float, tokens: float) -> float:
    return 2 * 2 * layers * hidden * sequences * tokens / 2**30


cache_size = Task(
    "The cache of a block, in GiB",
    reference=lambda layers, hidden, sequences, tokens: (
        2 * 2 * layers * hidden * sequences * tokens / 2**30
    ),
    cases=[(48, 7168, 144, 544), (96, 12288, 256, 1056)],
    mistakes=[
        Mistake(
            "keys only",
            lambda layers, hidden, sequences, tokens: _cache(layers, hidden, sequences, tokens) / 2,
            "Either you counted keys or values, and there are both, or a number of 16 bits as one "
            "byte.",
        ),
        Mistake(
            "one sequence",
            lambda layers, hidden, sequences, tokens: _cache(layers, hidden, 1, tokens),
            "That is the cache of one sequence. Each of the block has its own.",
        ),
        Mistake(
            "one layer",
            lambda layers, hidden, sequences, tokens: _cache(1, hidden, sequences, tokens),
            "That is the cache of one layer.",
        ),
        Mistake(
            "GB for GiB",
            lambda layers, hidden, sequences, tokens: (
                _cache(layers, hidden, sequences, tokens) * 2**30 / 1e9
            ),
            "That is in GB of 10^9 bytes. The paper's and this lab's unit is 2^30.",
        ),
        Mistake(
            "32 bits",
            lambda layers, hidden, sequences, tokens: 2 * _cache(layers, hidden, sequences, tokens),
            "Twice too much: numbers have 16 bits here.",
        ),
    ],
    hint="Two vectors, key and value, of `hidden` numbers of 2 bytes, for each layer, sequence and "
    "token.",
    right="For 30B with 144 sequences it is nearly twice the weights: what is cached, not the "
    "model, decides what fits.",
    unit="GiB",
)

decode_step = Task(
    "A layer's step of decoding in the released version",
    reference=lambda to_gpu, from_disk, compute: to_gpu + max(from_disk, compute),
    cases=[(0.26, 3.05, 0.77), (0.07, 0.0, 0.22)],
    mistakes=[
        Mistake(
            "all overlap",
            lambda to_gpu, from_disk, compute: max(to_gpu, from_disk, compute),
            "That is the paper's version. In the released one the link to the GPU hides behind "
            "nothing.",
        ),
        Mistake(
            "nothing overlaps",
            lambda to_gpu, from_disk, compute: to_gpu + from_disk + compute,
            "The disk is read while the processors compute: only the longer of the two counts.",
        ),
        Mistake(
            "as in the prefill",
            lambda to_gpu, from_disk, compute: max(to_gpu + from_disk, compute),
            "That is the prefill, (2). In decoding computing, too, comes after the link.",
        ),
    ],
    hint="Equation (3), with the two writing links left out.",
    right="For 175B the disk is the longest by far, which is why everything hangs on its rate.",
    unit="s",
)


def _worth(generated: float, disk: float) -> float:
    return (generated - 1) * 1e9 / disk


dram_price = Task(
    "What one more GB of DRAM saves",
    reference=lambda generated, disk: (generated - 1) * 1e9 / disk,
    cases=[(32, 2.67e9), (128, 1e9)],
    mistakes=[
        Mistake(
            "one step",
            lambda generated, disk: 1e9 / disk,
            "That is what it saves in one step. Weights are read again for every token.",
        ),
        Mistake(
            "prefill, too",
            lambda generated, disk: generated * 1e9 / disk,
            "The prefill's reading hides behind computing: it saves nothing there.",
        ),
        Mistake(
            "GiB",
            lambda generated, disk: (generated - 1) * 2**30 / disk,
            "A GB is 10^9 bytes here.",
        ),
        Mistake(
            "a step too few",
            lambda generated, disk: (generated - 2) * 1e9 / disk,
            "The first token comes out of the prefill, and the others of `generated - 1` steps.",
        ),
    ],
    hint="It holds 1e9 bytes of weights that need not be read from disk, in each of the steps "
    "that wait for the disk.",
    right="The linear program says the same without being asked: it is the dual value of the "
    "constraint on DRAM.",
    unit="s",
)
