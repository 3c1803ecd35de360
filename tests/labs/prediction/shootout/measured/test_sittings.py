"""Runs in sittings: every run once in each, kept beside the others."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout.measured import record, sittings
from perfmodel.prediction.arena.dataset import repeat_noise

PLAN = pd.DataFrame({"run": [0, 1, 2], "size": [1.0, 2.0, 4.0]})


def twice(runs):
    return [2.0 * run for run in runs]


def test_each_run_gets_its_own_result_in_any_order(monkeypatch):
    asked = []
    monkeypatch.setattr(sittings, "CHUNK", 4)
    monkeypatch.setattr(
        sittings.child, "run", lambda measure, some, cores: asked.append(some) or measure(some)
    )
    found = sittings.shuffled(twice, 10, 1)
    np.testing.assert_array_equal(found, 2.0 * np.arange(10))
    assert [len(some) for some in asked] == [4, 4, 2]
    visited = [run for some in asked for run in some]
    assert visited != sorted(visited)


def test_sittings_lie_beside_each_other_and_are_replaced_by_number(tmp_path):
    path = tmp_path / "runs.csv"
    sittings.record(
        path, PLAN, lambda number: np.full(3, 1.0 + number), [0, 1], {"rule": "made up"}
    )
    sittings.record(path, PLAN, lambda number: np.full(3, 9.0), [1], {})
    table = pd.read_csv(path)
    assert list(table) == ["run", "size", "sitting_0", "sitting_1"]
    assert set(table["sitting_0"]) == {1.0}
    assert set(table["sitting_1"]) == {9.0}
    told = json.loads(path.with_suffix(".json").read_text())
    assert {"host", "versions", "date"} <= told.keys()
    assert {"seconds of sitting_0", "seconds of sitting_1"} <= told.keys()


def test_another_plan_begins_anew(tmp_path):
    path = tmp_path / "runs.csv"
    sittings.record(path, PLAN, lambda _: np.ones(3), [0], {})
    sittings.record(path, PLAN.head(2), lambda _: np.ones(2), [1], {})
    assert list(pd.read_csv(path)) == ["run", "size", "sitting_1"]


def test_noise_is_that_of_the_sittings():
    table = PLAN.assign(sitting_0=[1.0, 2.0, 3.0], sitting_1=[1.1, 2.0, 3.0])
    expected = repeat_noise([[1.0, 1.1], [2.0, 2.0], [3.0, 3.0]])
    assert sittings.noise(table) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["sorts", "products"])
def test_recorders_of_kernels_run(name, tmp_path, monkeypatch):
    monkeypatch.setattr(sittings, "SAMPLE_SECONDS", 1e-5)
    monkeypatch.setattr(sittings.child, "run", lambda measure, some, cores: measure(some))
    record.main([name, "0", "1"], tmp_path, 2)
    table = pd.read_csv(tmp_path / record.RECORDINGS[name].file)
    assert len(table) == 2
    assert (table[sittings.sitting_columns(table)] > 0).all(axis=None)


def test_unknown_recordings_are_refused():
    with pytest.raises(SystemExit, match="recording must be one of sorts, products, service"):
        record.main(["walks"])
    with pytest.raises(SystemExit, match="got ''"):
        record.main([])


@pytest.mark.parametrize("name", record.RECORDINGS)
def test_what_is_recorded_is_the_whole_plan(name):
    recording = record.RECORDINGS[name]
    folder = Path(record.__file__).parent
    table = pd.read_csv(folder / recording.file)
    told = json.loads((folder / recording.file).with_suffix(".json").read_text())
    assert len(table) == recording.runs
    assert len(sittings.sitting_columns(table)) == recording.sittings
    assert told["command"].endswith(f"record {name}")
    assert told["rule"] == recording.rule
    assert (folder / recording.file).stat().st_size < 1e6
