"""What Zhang et al. (2025) print about SAIL, beside what a count of operations gives."""

from perfmodel.labs.roofline.sail.lookup_product import bit_patterns, redundant_lookups
from perfmodel.labs.roofline.sail.operations import (
    best_width,
    normal_activations,
    operations_per_weight,
    operations_saved,
)
from perfmodel.ledger import Sheet, same_method

NEAR = 0.25
"""How near a count of operations has to come where cycles were simulated: it leaves out all waiting
and moving, so a quarter is as good as can be asked of it."""


def _saved() -> float:
    width = best_width(32, 8)
    repeated = redundant_lookups(bit_patterns(normal_activations(), width, 8))[1]
    return float(operations_saved(repeated, width, 32, 8))


def _over_a_multiplier() -> float:
    return 1 / float(operations_per_weight(best_width(128, 8), 128, 8))


SHEET = Sheet(
    "Zhang, Park, Lee and Sadredini, 'SAIL: SRAM-accelerated LLM inference system with "
    "lookup-table-based GEMV', arXiv 2509.25853, 2025",
    [
        same_method(
            "operations saved by repeating no lookup of a pattern, made normal 8-bit activations, "
            "best width for batch 32",
            "13.8 %",
            "abstract: computation cycles",
            _saved,
            within=NEAR,
        ),
        same_method(
            "speed over a processor: operations of a multiplier over those of lookups, 8-bit "
            "activations, best width for batch 128",
            "10.7",
            "abstract: up to, over an ARM Neoverse-N1",
            _over_a_multiplier,
            within=NEAR,
            miss="The count ranks widths but knows no seconds: thousands of lookups side by side "
            "in the cache, and what the baseline needs to unpack odd precisions, are in a circuit "
            "simulation whose settings are not in the text we have.",
        ),
    ],
    unheld="The tokens per dollar (19.9 times those of the processor, 7.04 times those of a V100) "
    "need prices and configurations, and the 2 % of hardware needs the circuit; neither is in the "
    "text we have. Nor are the group width, the batch and the activations behind the 13.8 %: ours "
    "are a choice, and groups of 2 to 8 give from 57 to 6 %. That products are exact and that "
    "batches share the tables follows from the method whatever the machine, so these are tests "
    "and no claims.",
)
