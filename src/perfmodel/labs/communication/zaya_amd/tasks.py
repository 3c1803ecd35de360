"""Tasks: an all-gather over a mesh, and the weights that a token uses."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

mesh_gather = Task(
    "An all-gather over a link for each pair",
    reference=lambda gpus, size, link, latency: latency + size / gpus / link,
    cases=[(8, 1e9, 50e9, 1e-5), (2, 1e6, 64e9, 2e-6), (4, 1e8, 25e9, 0.0)],
    mistakes=mistakes(
        lambda gpus, size, link, latency: latency + (gpus - 1) * size / gpus / link,
        "one link after the other: That sends to one GPU after the other. Here every pair has its "
        "own link, and all links work at once.",
        lambda gpus, size, link, latency: (gpus - 1) * (latency + size / gpus / link),
        "a ring: A ring uses only one link of each GPU and needs n - 1 rounds.",
        lambda gpus, size, link, latency: latency + size / link,
        "all of it: Each GPU sends only its own part, 1/n of the whole.",
        lambda gpus, size, link, latency: latency + (gpus - 1) / gpus * size / (7 * link),
        "links of those outside: Links to GPUs outside the group don't help. Count n - 1 links, "
        "not 7.",
    ),
    hint="Each link carries one part, size / n, and all links work at the same time.",
    right="More GPUs mean smaller parts and more links.",
    unit="s",
)

token_weights = Task(
    "Weights that a token uses",
    reference=lambda layers, rest, used, hidden, width: layers * (rest + used * 3 * hidden * width),
    cases=[(40, 6.26e6, 1, 2048, 2048), (2, 1000, 2, 16, 64), (10, 0, 4, 8, 8)],
    mistakes=mistakes(
        lambda layers, rest, used, hidden, width: layers * (rest + used * 2 * hidden * width),
        "two matrices: A gated expert has three matrices, two inwards and one outwards.",
        lambda layers, rest, used, hidden, width: layers * (rest + used * hidden * width),
        "one matrix: An expert has three matrices, two inwards and one outwards.",
        lambda layers, rest, used, hidden, width: rest + used * 3 * hidden * width,
        "one layer: That is one layer. Multiply by `layers`.",
        lambda layers, rest, used, hidden, width: layers * used * 3 * hidden * width,
        "experts alone: Every token also passes attention and router.",
        lambda layers, rest, used, hidden, width: rest + layers * used * 3 * hidden * width,
        "the rest once: Attention and router are in every layer.",
    ),
    hint="Add a layer's rest and its used experts, each of three hidden x width matrices.",
    right="The used weights set the arithmetic, and all weights set the memory.",
)
