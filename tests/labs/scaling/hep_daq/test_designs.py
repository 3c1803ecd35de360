"""The paper's designs: sums by hand, limits, and what the wall time's form does to them."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.hep_daq import inputs, wall_time
from perfmodel.labs.scaling.hep_daq.designs import BASELINE, Design, productivity, technology


def test_stages_are_those_of_arithmetic_by_hand() -> None:
    flows = BASELINE.flows()
    first, last = flows["first trigger"], flows["last trigger"]
    assert first.size == pytest.approx(8.425e6)
    assert first.compute_power == pytest.approx(8.425e6 / 2e6 * 0.003 * 40e6)
    assert last.rate_in == pytest.approx(40e6 / 53.3)
    links = sum(flow.link_power for flow in flows.values())
    assert links == pytest.approx(124.6e3, rel=1e-3)


def test_power_is_inverse_to_the_first_ratio_and_halved_on_gpus() -> None:
    fixed = Design(first_ratio=1e12).power()
    for ratio in (60.0, 120.0, 400.0):
        last = Design(first_ratio=ratio).power() - fixed
        assert last * ratio == pytest.approx((BASELINE.power() - fixed) * 53.3, rel=1e-9)
    assert Design(gpu=True).power() - fixed == pytest.approx(
        (BASELINE.power() - fixed) / 2, rel=1e-4
    )


def test_fewer_bytes_cost_less_than_their_share() -> None:
    halved = Design(tracker_share=0.5)
    bytes_left = halved.event_bytes() / BASELINE.event_bytes()
    assert halved.power() / BASELINE.power() < bytes_left**2


def test_links_without_energy_leave_computing_only() -> None:
    computing = sum(flow.compute_power for flow in BASELINE.flows().values())
    assert Design(link_share=0).power() == pytest.approx(computing / technology(2032))
    assert Design(link_share=0).power() < BASELINE.power()


def test_cubic_passes_its_own_data_and_predicts_as_a_polynomial_fit_does() -> None:
    size = np.linspace(1e6, 9e6, 20)
    planted = 0.5 * (size / 1e6) ** 3 + 2 * (size / 1e6)
    assert wall_time.cubic_terms(size, planted) == pytest.approx([0.5, 0, 2], abs=1e-9)
    found = wall_time.cubic(size, planted)(np.array(12e6))
    assert float(found) == pytest.approx(0.5 * 12**3 + 24)


@pytest.mark.parametrize("name", list(wall_time.FORMS))
def test_forms_follow_the_data_they_were_fitted_to(name: str) -> None:
    size, time = wall_time.wall_times()
    fitted = wall_time.FORMS[name](size, time)(size)
    assert np.corrcoef(fitted, time)[0, 1] > 0.9


def test_technology_is_one_in_its_first_year_and_grows_as_printed() -> None:
    assert technology(inputs.FIRST_YEAR) == 1
    assert technology(2032) == pytest.approx(6.49957, abs=5e-6)


def test_productivity_counts_recall_once_and_divides_by_watts() -> None:
    wanted = 40e6 / 5330
    assert productivity(1, 1, 1, BASELINE) == pytest.approx(wanted / BASELINE.power())
    assert productivity(0.5, 0.8, 1, BASELINE) == pytest.approx(0.4 * wanted / BASELINE.power())


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="dropped must leave 4"):
        wall_time.wall_times(31)
    with pytest.raises(ValueError, match="tracker_share must be between 0 and 1"):
        Design(tracker_share=2).power()
    with pytest.raises(ValueError, match="first_ratio must be 1 or more"):
        Design(first_ratio=0.5).power()
    with pytest.raises(ValueError, match="precision must be above 0"):
        productivity(1, 1, 0, BASELINE)
    for place, name in enumerate(("f1", "recall", "precision")):
        shares = [1.0, 1.0, 1.0]
        shares[place] = 1.5
        with pytest.raises(ValueError, match=f"{name} must be between 0 and 1, got 1.5"):
            productivity(*shares, BASELINE)
