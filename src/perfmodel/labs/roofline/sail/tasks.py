"""What the reader does: add up what was looked up, and find the batch from which tables pay."""

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
        "top bit positive: That reads the activations as numbers without a sign. In two's "
        "complement the top bit counts minus 2 to the power of a - 1.",
        lambda entries: sum(2**i * entry for i, entry in enumerate(entries[:-1])),
        "top bit left out: The top position has a lookup, too. Its sign is the other one, but it "
        "counts.",
        lambda entries: sum(entries[:-1]) - entries[-1],
        "places left out: Bits have places: what is looked up for position i counts 2 to the power "
        "of i times.",
        lambda entries: (
            sum(2**i * entry for i, entry in enumerate(entries[:0:-1]))
            - 2 ** (len(entries) - 1) * entries[0]
        ),
        "highest first: You took the first entry for the top position. It is the lowest, i = 0.",
    ),
    hint="Equation (1) for one group: `entries[i]` times 2 to the power of i, added up, with a "
    "minus for the last one.",
    right="Shifts and additions, no multiplication by a weight. The second case has an activation "
    "whose bits are all ones: that is -1, so the product is minus the entry.",
)

paying_batch = Task(
    "The batch from which lookups take fewer operations",
    reference=lambda width, bits: (2**width - width - 1) / (width - bits),
    cases=[(9, 8), (10, 8), (6, 4), (4, 2)],
    mistakes=mistakes(
        lambda width, bits: 2**width / (width - bits),
        "full table: The empty sum and the sums of one weight need no addition.",
        lambda width, bits: (2**width - width - 1) / width,
        "tables alone: That spreads the filling until it costs one operation, and leaves none for "
        "the lookups. Set the whole of c(N) to 1.",
        lambda width, bits: (2**width - width - 1) / (width - bits * width),
        "one lookup a bit and weight: A lookup serves a whole group, so a weight pays a / N for "
        "its lookups, not a.",
    ),
    hint="Set c(N) = 1 in equation (2), bring a / N to the other side and solve for B.",
    right="With 8-bit activations that is 502 vectors for groups of 9, and no group up to 8 ever "
    "gets there: its lookups alone take an operation a weight. With 4 bits, 28 vectors do for "
    "groups of 6. Fewer bits help twice: fewer lookups, and narrower groups.",
    unit="vectors",
)
