from collections import Counter

import pytest

from perfmodel.labs.prediction.wa_hls4ml.output_switches import (
    INPUTS,
    OUTPUTS,
    REUSE,
    output_switches,
)


@pytest.mark.parametrize("cycle", range(1, REUSE + 1))
def test_every_cycle_can_be_read(cycle):
    assert output_switches(cycle).faults() == []


def test_every_product_is_made_once():
    made = Counter()
    for cycle in range(1, REUSE + 1):
        taken, *outputs = output_switches(cycle).values.values()
        made.update((taken, output) for output in outputs)
    pairs = {(i, o) for i in range(1, INPUTS + 1) for o in range(1, OUTPUTS + 1)}
    assert made == Counter(pairs)


@pytest.mark.parametrize("cycle", [0, 13])
def test_impossible_cycles_are_refused(cycle):
    with pytest.raises(ValueError, match=f"cycle .*{cycle}"):
        output_switches(cycle)
