import pandas as pd

from perfmodel.labs.prediction.shootout import dense_circuits


def test_parts_by_hand():
    layer = pd.DataFrame({"d_in": [16.0], "d_out": [8.0], "prec": [4.0], "rf": [32.0]})
    found = {name: float(count[0]) for name, count in dense_circuits.parts(layer).items()}
    # Four multipliers at once; sixteen terms carry four bits; 32 weights need five bits.
    assert found == {
        "control": 1,
        "adder bits": 4 * 4**2,
        "accumulator bits": 8 * (2 * 4 + 4),
        "selector bits": 4 * 4 * 5,
    }
