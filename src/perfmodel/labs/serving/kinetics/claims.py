"""What the paper prints, beside ours: one row a number, as it is printed."""

from perfmodel.labs.serving.kinetics.inputs import EXAMPLE
from perfmodel.labs.serving.kinetics.link import half_size
from perfmodel.ledger import Sheet, recomputed

SHEET = Sheet(
    "Author, 'Title', venue and year",
    [
        recomputed(
            "size at which half the bandwidth is reached, 1 us and 10 GB/s",
            "10 kB",
            "Table 1",
            lambda: half_size(EXAMPLE),
        ),
    ],
)
