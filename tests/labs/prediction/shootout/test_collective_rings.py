import pandas as pd
import pytest

from perfmodel.labs.communication.collectives.contest import RingPrices
from perfmodel.labs.prediction.shootout.collective_rings import TwoProtocols


@pytest.mark.parametrize(("sizes", "breaks"), [(5, 0), (6, 1)])
def test_a_break_needs_six_sizes(sizes, breaks):
    runs = pd.DataFrame({"ranks": [2.0] * sizes, "bytes": [4.0**place for place in range(sizes)]})
    times = 1e-5 + 1e-9 * runs["bytes"]
    found = TwoProtocols("all-reduce").fit(runs, times).predict(runs)
    same = RingPrices("all-reduce", breaks).fit(runs, times).predict(runs)
    assert found.tolist() == same.tolist()
    assert found == pytest.approx(times.to_numpy(), rel=1e-6)
