"""What the reader does: a step of decoding, and the worth of a GB of DRAM."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

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
