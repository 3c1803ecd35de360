import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.prediction.shootout.challenges.curves import looks
from perfmodel.labs.prediction.shootout.curve_laws import LAWS, SHAPES, CommonPower, CurveLaw

AT = [1, 2, 3, 4, 5]
COLUMNS = [f"after epoch {epoch}" for epoch in AT]


def seen(curve):
    return pd.DataFrame([[curve(epoch) for epoch in AT]], columns=COLUMNS)


@given(st.floats(0, 10), st.floats(0.1, 10), st.integers(0, len(SHAPES["power"]) - 1))
def test_a_curve_of_the_law_is_continued(floor, height, place):
    shape = SHAPES["power"][place]
    curve = seen(lambda epoch: floor + height * epoch**-shape)
    model = CurveLaw(COLUMNS, AT, 20).fit(curve, [1.0])
    assert model.predict(curve) == pytest.approx([floor + height * 20**-shape], rel=1e-3)


def test_an_exponential_too():
    shape = SHAPES["exponential"][10]
    curve = seen(lambda epoch: 1 + 2 * np.exp(-shape * (epoch - 1)))
    model = CurveLaw(COLUMNS, AT, 20, "exponential").fit(curve, [1.0])
    assert model.predict(curve) == pytest.approx([1 + 2 * np.exp(-shape * 19)])


@pytest.mark.parametrize("law", LAWS)
def test_a_rising_curve_stays_where_it_is_and_none_ends_at_0(law):
    rising = seen(lambda epoch: 1 + 0.1 * epoch)
    model = CurveLaw(COLUMNS, AT, 20, law).fit(rising, [1.0])
    assert model.predict(rising) == pytest.approx([1.3])
    steep = seen(lambda epoch: 10.0 ** (6 - 2 * epoch))
    assert model.predict(steep) > 0


def test_common_power_by_hand():
    curves = pd.DataFrame({"last": [4.0, 8.0, 6.0]})
    model = CommonPower("last", 5, 20).fit(curves, [2.0, 4.0, 6.0])
    assert model.exponent_ == pytest.approx(-0.5)
    assert model.predict(curves) == pytest.approx([2, 4, 3])


def test_no_other_law():
    with pytest.raises(ValueError, match="law must be one of power, exponential, got 'moon'"):
        CurveLaw(COLUMNS, AT, 20, "moon").fit(seen(float), [1.0])


def test_looks_end_where_what_is_seen_ends():
    assert looks(50)[-1] == 12
