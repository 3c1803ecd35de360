"""Tasks: the largest model that fits, and the utilization that a run reaches."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

largest_model = Task(
    "The largest model that fits in stage 2",
    reference=lambda memory, gpus: memory / (2 + 14 / gpus),
    cases=[(80e9, 8), (24e9, 4), (80e9, 64)],
    mistakes=mistakes(
        lambda memory, gpus: memory * gpus / 16,
        "everything divided: You divided the weights, too, as stage 3 does. In stage 2 each GPU "
        "keeps all weights.",
        lambda memory, gpus: memory / (4 + 12 / gpus),
        "optimizer alone divided: You computed stage 1, where each GPU keeps all gradients. Stage "
        "2 divides them as well.",
        lambda memory, gpus: memory / 16,
        "nothing divided: You computed a single GPU. Which states does stage 2 divide by the "
        "number of GPUs?",
        lambda memory, gpus: memory / (14 + 2 / gpus),
        "weights divided instead: You divided the weights and kept the rest whole. Stage 2 does "
        "the opposite.",
        lambda memory, gpus: memory * gpus / (2 + 14 / gpus),
        "memory taken together: You multiplied the memory by the GPUs. Equation (1) counts the "
        "bytes on each GPU.",
    ),
    hint="Each GPU holds M2 = 2Ψ + 14Ψ/N bytes. Set this equal to its memory and solve for Ψ.",
    right="Eight GPUs of 80 GB hold 21 billion parameters; one GPU alone holds 5. With any number "
    "of GPUs the limit stays below 40 billion, because the weights aren't divided.",
    unit="parameters",
)

share_of_peak = Task(
    "The utilization of a run with recomputation",
    reference=lambda rate, parameters, gpus, peak: 8 * parameters * rate / (gpus * peak),
    cases=[(18_227.0, 6.738e9, 8, 312e12), (900.0, 13e9, 2, 100e12)],
    mistakes=mistakes(
        lambda rate, parameters, gpus, peak: 6 * parameters * rate / (gpus * peak),
        "without recomputation: You used 6 operations a parameter, as for a run that keeps "
        "everything. This run goes forward twice.",
        lambda rate, parameters, gpus, peak: 8 * parameters * rate / peak,
        "one GPU: You used the peak of one GPU. The tokens come from all GPUs, so use the peak of "
        "all GPUs.",
        lambda rate, parameters, gpus, peak: 12 * parameters * rate / (gpus * peak),
        "everything twice: You repeated everything. Recomputation repeats only the forward pass, "
        "1/3 of the work.",
        lambda rate, parameters, gpus, peak: 2 * parameters * rate / (gpus * peak),
        "forward alone: You counted one forward pass, 2 operations a parameter. Training also goes "
        "backward.",
    ),
    hint="Use equation (3) with 8 instead of 6, and solve it for u.",
    right="The first case is row 6 of the table below, with 39 %. With 6 instead of 8 it would be "
    "30 %. Papers call both utilization. The first (HFU) shows how busy the GPUs were, and the "
    "second (MFU) how much of their peak was useful. Check which one a paper reports.",
)
