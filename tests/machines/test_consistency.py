"""Figures agree with second sources and with each other, and one changed by hand is noticed."""

import csv
from pathlib import Path

import numpy as np
import pytest
from consistency import disagreements, second_sources

from perfmodel import machines
from perfmodel.labs.roofline.energy_per_token.sweeps import energy_models

NAMES = machines.ids(own=False)
ENERGY = {"energy_per_byte", "energy_per_flop"}
ONE_SOURCE = {
    "h100-sxm5-80gb": ENERGY,
    "b200-sxm-180gb": ENERGY,
    "h200-sxm-141gb": {"reached_copy_bandwidth"},
    "gh200-96gb": {"power_limit"},
    "l40s": {"last_level_cache"},
    "gaudi3": {"memory_bandwidth"},
    "trainium2": {"memory_capacity"},
    "tpu-v4": {"power_limit"},
    "grace-superchip": {"memory_capacity", "memory_bandwidth", "power_limit"},
    "a64fx": {"peer_link_two_way"},
    "apple-m2-ultra": {"memory_capacity"},
    "apple-m3-max": {"memory_capacity"},
    "apple-m4-max": {"memory_capacity"},
    "example-2vcpu": {"memory_capacity", "memory_bandwidth", "last_level_cache"},
}
"""Figures of which one source speaks and no arithmetic: nothing here would notice a change."""


def values(name):
    return {quantity: figure.value for quantity, figure in machines.get(name).figures.items()}


@pytest.mark.parametrize("name", NAMES)
def test_figures_agree_with_second_sources_and_each_other(name):
    assert disagreements(machines.get(name), values(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_changed_by_a_tenth_is_noticed(name):
    known, unnoticed = values(name), set()
    for quantity, value in known.items():
        for changed in (0.9 * value, 1.1 * value):
            if not disagreements(machines.get(name), {**known, quantity: changed}):
                unnoticed.add(quantity)
    assert unnoticed == ONE_SOURCE.get(name, set())


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("mi300x", "peak_bf16_matrix"),
        ("h100-sxm5-80gb", "power_limit"),
        ("h200-sxm-141gb", "memory_bandwidth"),
        ("a100-sxm4-80gb", "last_level_cache"),
        ("v100-sxm2-32gb", "power_limit"),
        ("epyc-9654", "memory_bandwidth"),
        ("tpu-v5e", "peak_int8_matrix"),
        ("xeon-8480p", "clock"),
        ("trainium2", "peak_fp8_matrix"),
        ("l40s", "host_link_one_way"),
        ("apple-m4-max", "memory_bandwidth"),
        ("gaudi3", "reached_bf16_matrix"),
    ],
)
def test_each_kind_of_check_names_the_figure(name, quantity):
    known = values(name)
    for changed in (0.9 * known[quantity], 1.1 * known[quantity]):
        found = disagreements(machines.get(name), {**known, quantity: changed})
        assert any(quantity in text or "x clock" in text for text in found)


@pytest.mark.parametrize(("name", "card"), [("h100-sxm5-80gb", "H100"), ("b200-sxm-180gb", "B200")])
def test_energies_are_those_of_the_law_over_dense_models(name, card):
    laws = energy_models(card)
    found = machines.get(name)
    error = f"errs by {100 * np.median([one.error for one in laws]):.2g} %"
    for quantity, values in (
        ("energy_per_byte", [one.byte for one in laws]),
        ("energy_per_flop", [one.operation for one in laws]),
    ):
        assert found.value(quantity) == pytest.approx(np.median(values), rel=1e-3)
        low, high = 1e12 * min(values), 1e12 * max(values)
        note = found.figure(quantity).note
        assert f"median of {len(laws)} dense models from {low:.3g} to {high:.3g} pJ" in note
        assert error in note


def test_what_a_second_source_confirms_is_verified():
    """And the figure names the source that it agrees with, no longer a memory."""
    confirmed = set()
    for name, quantities in second_sources().items():
        for quantity in quantities:
            figure = machines.get(name).figure(quantity)
            assert "from memory" not in figure.source, (name, quantity)
            if "agrees with " in figure.source:
                assert figure.verified, (name, quantity)
                confirmed.add((name, quantity))
    assert len(confirmed) > 60


def test_second_sources_are_named_and_are_not_the_first():
    with (Path(__file__).parent / "second_source.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["machine"], row["quantity"]) for row in rows}) == len(rows)
    assert len(rows) > 120
    assert set(second_sources()) <= set(NAMES)
    for row in rows:
        first = machines.get(row["machine"]).figure(row["quantity"])
        assert row["source"].strip()
        assert row["source"] != first.source, row
