"""Why nothing printed of MPress is held against ours."""

from perfmodel.ledger import Sheet

SHEET = Sheet(
    "Q. Zhou and others, 'MPress: democratizing billion-scale model training on multi-GPU servers "
    "via memory-saving inter-operator parallelism', HPCA 2023",
    unheld="Of the paper the abstract alone could be read, which prints no number that a model of "
    "memory or time gives: it names servers, says that throughput is above that of ZeRO at equal "
    "memory and that models can be larger than with recomputation alone. Gains in other people's "
    "notes contradict the abstract about the servers and are left out. Model sizes, micro-batches "
    "and the planner's rules are not in it; those of this lab are its own.",
)
