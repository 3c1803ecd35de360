"""What the reader does: the largest model that fits, and the share of the peak that is reached."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

largest_model = Task(
    "The largest model that stage 2 holds",
    reference=lambda memory, gpus: memory / (2 + 14 / gpus),
    cases=[(80e9, 8), (24e9, 4), (80e9, 64)],
    mistakes=mistakes(
        lambda memory, gpus: memory * gpus / 16,
        "everything divided: That divides the weights, too, as stage 3 does. In stage 2 each GPU "
        "keeps them all.",
        lambda memory, gpus: memory / (4 + 12 / gpus),
        "optimizer alone divided: That is stage 1, where each GPU keeps all gradients. Stage 2 "
        "divides them as well.",
        lambda memory, gpus: memory / 16,
        "nothing divided: That is one GPU alone. Which states does stage 2 divide by the number of "
        "GPUs?",
        lambda memory, gpus: memory / (14 + 2 / gpus),
        "weights divided instead: You divided the weights and kept the rest whole. It is the other "
        "way round.",
        lambda memory, gpus: memory * gpus / (2 + 14 / gpus),
        "memory taken together: Equation (1) counts the bytes on each GPU, so `memory` is that of "
        "one GPU.",
    ),
    hint="Each GPU holds M2 = 2Ψ + 14Ψ/N bytes. Set that equal to its memory and solve for Ψ.",
    right="On eight GPUs of 80 GB that is 21 billion parameters, where one GPU alone holds 5. With "
    "any number of GPUs it stays below 40 billion: the weights are not divided.",
    unit="parameters",
)

share_of_peak = Task(
    "The share of the peak that a run with recomputation reached",
    reference=lambda rate, parameters, gpus, peak: 8 * parameters * rate / (gpus * peak),
    cases=[(18_227.0, 6.738e9, 8, 312e12), (900.0, 13e9, 2, 100e12)],
    mistakes=mistakes(
        lambda rate, parameters, gpus, peak: 6 * parameters * rate / (gpus * peak),
        "without recomputation: 6 operations a parameter are those of a run that keeps everything. "
        "This one goes forward twice.",
        lambda rate, parameters, gpus, peak: 8 * parameters * rate / peak,
        "one GPU: The tokens are those of all GPUs together, and so the peak has to be.",
        lambda rate, parameters, gpus, peak: 12 * parameters * rate / (gpus * peak),
        "everything twice: Recomputation repeats the forward pass, a third of the work, and not "
        "the backward.",
        lambda rate, parameters, gpus, peak: 2 * parameters * rate / (gpus * peak),
        "forward alone: 2 operations a parameter are one forward pass. Training goes backward, "
        "too.",
    ),
    hint="Equation (3), with 8 instead of 6, solved for u.",
    right="The first case is row 6 of the table below: 39 % of the peak. Counted with 6 it would "
    "be 30 %. Both are printed as utilization in papers: the first says how busy the GPUs were, "
    "the second how much of their peak was of use. Ask which one you read.",
)
