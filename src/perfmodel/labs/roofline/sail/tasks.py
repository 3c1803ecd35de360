"""Tasks: add up lookups, and find the batch above which tables pay."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

sum_of_lookups = Task(
    "One product from its lookups",
    reference=lambda entries: (
        sum(2**i * entry for i, entry in enumerate(entries[:-1]))
        - 2 ** (len(entries) - 1) * entries[-1]
    ),
    cases=[([5, 0, 3, 2],), ([1, 1, 1, 1],), ([-2, 7, 0, 4, 3],)],
    mistakes=mistakes(
        lambda entries: sum(2**i * entry for i, entry in enumerate(entries)),
        "top bit positive: You read the activations as unsigned numbers. In two's complement the "
        "top bit counts minus 2 to the power of a - 1.",
        lambda entries: sum(2**i * entry for i, entry in enumerate(entries[:-1])),
        "top bit left out: You left out the top position. Its lookup counts with a minus sign.",
        lambda entries: sum(entries[:-1]) - entries[-1],
        "places left out: You left out the weights of the bits. The lookup of position i counts 2 "
        "to the power of i times.",
        lambda entries: (
            sum(2**i * entry for i, entry in enumerate(entries[:0:-1]))
            - 2 ** (len(entries) - 1) * entries[0]
        ),
        "highest first: You took the first entry for the top position. It is the lowest, i = 0.",
    ),
    hint="Use equation (1) for one group: add up `entries[i]` times 2 to the power of i, with a "
    "minus for the last entry.",
    right="You needed only shifts and additions. In the second case the bits of the activation are "
    "all ones, which is -1, so the product is minus the entry.",
)

paying_batch = Task(
    "The batch above which lookups take fewer operations",
    reference=lambda width, bits: (2**width - width - 1) / (width - bits),
    cases=[(9, 8), (10, 8), (6, 4), (4, 2)],
    mistakes=mistakes(
        lambda width, bits: 2**width / (width - bits),
        "full table: You counted every entry. The empty sum and the single weights need no "
        "addition.",
        lambda width, bits: (2**width - width - 1) / width,
        "tables alone: You left out the lookups. Set the whole c(N) to 1.",
        lambda width, bits: (2**width - width - 1) / (width - bits * width),
        "one lookup a bit and weight: You counted a lookups for each weight. A lookup serves a "
        "whole group, so a weight needs a / N.",
    ),
    hint="Set c(N) = 1 in equation (2), bring a / N to the other side and solve for B.",
    right="With 8-bit activations, groups of 9 need 502 vectors. Groups up to 8 never get there, "
    "because their lookups alone take an operation a weight. With 4 bits, groups of 6 need 28 "
    "vectors. Fewer bits help twice, by fewer lookups and by narrower groups.",
    unit="vectors",
)
