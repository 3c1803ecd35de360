"""What the reader does: a step of decoding, and the worth of a GB of DRAM."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

decode_step = Task(
    "A layer's step of decoding in the released version",
    reference=lambda to_gpu, from_disk, compute: to_gpu + max(from_disk, compute),
    cases=[(0.26, 3.05, 0.77), (0.07, 0.0, 0.22), (0.9, 0.1, 0.3)],
    mistakes=mistakes(
        lambda to_gpu, from_disk, compute: max(to_gpu, from_disk, compute),
        "all overlap: That is the paper's version. In the released one the link to the GPU hides "
        "behind nothing.",
        lambda to_gpu, from_disk, compute: to_gpu + from_disk + compute,
        "nothing overlaps: The disk is read while the processors compute: only the longer of the "
        "two counts.",
        lambda to_gpu, from_disk, compute: max(to_gpu + from_disk, compute),
        "as in the prefill: That is the prefill, the first line of (2). In decoding computing, "
        "too, comes after the link.",
        lambda to_gpu, from_disk, compute: from_disk + max(to_gpu, compute),
        "the disk hides behind nothing: It is the link that hides behind nothing, not the disk.",
        lambda to_gpu, from_disk, compute: max(to_gpu, from_disk) + compute,
        "computing hides behind nothing: It is the link that hides behind nothing, not computing.",
        lambda to_gpu, from_disk, compute: to_gpu + from_disk,
        "no computing: Computing counts where it is longer than the disk: look at the second case.",
    ),
    hint="The second line of (2), with the two writing links left out.",
    right="For 175B the disk is the longest by far, so its rate decides the throughput.",
    unit="s",
)


dram_price = Task(
    "What one more GB of DRAM saves",
    reference=lambda generated, weights_rate: (generated - 1) * 1e9 / weights_rate,
    cases=[(32, 2.67e9), (128, 1.6e9)],
    mistakes=mistakes(
        lambda generated, weights_rate: 1e9 / weights_rate,
        "one step: That is what it saves in one step. Weights are read again for every token.",
        lambda generated, weights_rate: generated * 1e9 / weights_rate,
        "prefill, too: The prefill's reading hides behind computing: it saves nothing there.",
        lambda generated, weights_rate: (generated - 1) * 2**30 / weights_rate,
        "GiB: A GB is 10^9 bytes here.",
        lambda generated, weights_rate: (generated - 1) * 1e9 / (0.95 * weights_rate),
        "slower once more: The idea is right. The 0.95 of (1) is in `weights_rate` already.",
        lambda generated, weights_rate: 96 * (generated - 1) * 1e9 / weights_rate,
        "every layer: It holds 1e9 bytes of all layers together, not of each.",
        lambda generated, weights_rate: generated * 2**30 / weights_rate,
        "GiB, and prefill, too: A GB is 10^9 bytes here, and the prefill's reading hides behind "
        "computing.",
        lambda generated, weights_rate: (generated - 2) * 1e9 / weights_rate,
        "a step too few: The first token comes out of the prefill, and the others of `generated - "
        "1` steps.",
    ),
    hint="It holds 1e9 bytes of weights that need not be read from disk, in each of the steps "
    "that wait for the disk.",
    right="The linear program says the same without being asked: it is the dual value of the "
    "constraint on DRAM.",
    unit="s",
)
