"""Stored measurements come back exactly, and damaged files are refused."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement import store
from perfmodel.measurement.errors import CorruptFileError
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.timing import measure, repeat

MACHINE = SimulatedMachine(0.3)
MEASURED = [
    measure(MACHINE.job(0.1), max_seconds=1, clock=MACHINE.clock, name='a "quoted", name'),
    replace(repeat(MACHINE.job(0.01), 8, clock=MACHINE.clock, name="NA"), load=None),
]


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("name", "samples", "inner", "warmup", "resolution", "confidence", "target")
    ) and (one.reached, one.load, one.provenance) == (other.reached, other.load, other.provenance)


def test_round_trip(tmp_path):
    path = store.save_measurements(tmp_path / "runs.csv", MEASURED)
    assert list(map(same, store.load_measurements(path), MEASURED)) == [True, True]
    assert [file.name for file in tmp_path.iterdir()] == ["runs.csv"]


@settings(max_examples=20)
@given(st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=10))
def test_every_digit_comes_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("store") / "runs.csv"
    stored = replace(MEASURED[0], samples=np.array(values))
    store.save_measurements(path, [stored])
    assert store.load_measurements(path)[0].samples.tolist() == values


def test_other_programs_can_read_it(tmp_path):
    path = store.save_measurements(tmp_path / "runs.csv", MEASURED)
    frame = pd.read_csv(path, comment="#", keep_default_na=False)
    assert tuple(frame.columns) == store.COLUMNS
    assert len(frame) == sum(item.samples.size for item in MEASURED)
    assert frame["seconds"].to_numpy() == pytest.approx(store.samples_table(MEASURED)["seconds"])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-20], "cut off or altered"),
        (lambda text: text.replace("\n0,", "\n1,", 1), "cut off or altered"),
        (lambda text: text.replace('"confidence": 0.95', '"confidence": 0.99', 1), "altered"),
        (lambda text: "seconds\n1.0\n", "not a file of measurements"),
        (lambda text: "", "not a file of measurements"),
        (lambda text: "# [1]\n", "not a file of measurements"),
        (lambda text: text.replace('"version": 1', '"version": 9'), "got .* version 9"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage, message):
    path = store.save_measurements(tmp_path / "runs.csv", MEASURED)
    path.write_text(damage(path.read_text()))
    with pytest.raises(CorruptFileError, match=message):
        store.load_measurements(path)


@pytest.mark.parametrize("damage", [lambda about: about[1].pop("inner"), lambda about: about.pop()])
def test_a_header_that_does_not_fit_the_rows_is_refused(tmp_path, monkeypatch, damage):
    path = store.save_measurements(tmp_path / "runs.csv", MEASURED)
    first, _, rows = path.read_text().partition("\n")
    head = json.loads(first[2:])
    damage(head["measurements"])
    path.write_text(f"# {json.dumps(head)}\n{rows}")
    monkeypatch.setattr(store, "_checksum", lambda about, rows: head["sha256"])
    with pytest.raises(CorruptFileError, match="header and the rows disagree"):
        store.load_measurements(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CorruptFileError, match="not a file of measurements"):
        store.load_measurements(path)


def test_nothing_is_not_stored(tmp_path):
    with pytest.raises(ValueError, match="measurements must be one or more"):
        store.save_measurements(tmp_path / "runs.csv", [])
