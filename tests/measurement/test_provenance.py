"""Provenance read from a fake system, from this one, through plain data and beside a table."""

import json

import pandas as pd
import pytest

from perfmodel.measurement.provenance import (
    Cache,
    from_dict,
    host,
    provenance,
    record_table,
    recorded_origin,
    recorded_table,
)


@pytest.fixture
def system(tmp_path):
    files = {
        "proc/cpuinfo": "model name\t: Example 9000\nflags\t\t: fpu sse hypervisor\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu0/cache/index0/size": "32K\n",
        "sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
        "sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
        "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list": "0,4\n",
        "sys/devices/system/cpu/cpu0/cache/index3/size": "2M\n",
        "sys/devices/system/cpu/cpu0/cache/index3/level": "3\n",
        "sys/devices/system/cpu/cpu0/cache/index3/type": "Unified\n",
        "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list": "0-3,8-11\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_system_is_read(system):
    result = host(system)
    assert result.processor == "Example 9000"
    assert result.governor == "powersave"
    assert result.virtual is True
    assert result.caches == (Cache(1, "Data", 32768, 2), Cache(3, "Unified", 2097152, 8))


def test_a_system_that_shows_nothing_is_unknown_and_no_error(tmp_path):
    result = host(tmp_path)
    assert result.governor == "unknown"
    assert result.caches == ()
    assert result.virtual is None
    assert result.processor


def test_it_survives_json():
    result = provenance()
    assert from_dict(json.loads(json.dumps(result.as_dict()))) == result
    assert result.date.endswith("+00:00")
    assert {"python", "numpy", "scipy", "perfmodel"} <= set(result.versions)


def test_a_field_too_many_or_too_few_is_an_error():
    data = provenance().as_dict()
    with pytest.raises(KeyError):
        from_dict({key: value for key, value in data.items() if key != "date"})
    with pytest.raises(TypeError):
        from_dict(data | {"host": data["host"] | {"colour": "red"}})


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return the name of an empty package, another one for each test, and its folder."""
    (tmp_path / "__init__.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(tmp_path.parent)
    return tmp_path.name, tmp_path


def test_a_table_and_its_origin_are_read_back(package):
    name, folder = package
    table = pd.DataFrame({"who": ["a, b", "c"], "seconds": [1 / 3, float("nan")]}, index=[7, 8])
    record_table(table, folder / "times.csv", {"command": "run me"}, float_format="%.3g")
    assert (folder / "times.csv").read_bytes() == b'who,seconds\n"a, b",0.333\nc,\n'
    read = recorded_table(name, "times.csv")
    assert read["who"].tolist() == ["a, b", "c"]
    origin = recorded_origin(name, "times.csv")
    assert origin.pop("command") == "run me"
    assert from_dict(origin).host == host()


def test_a_table_that_is_changed_is_read_as_it_was(package):
    name, folder = package
    record_table(pd.DataFrame({"seconds": [1.0]}), folder / "alone.csv")
    changed = recorded_table(name, "alone.csv")
    changed["seconds"] = 2.0
    assert recorded_table(name, "alone.csv")["seconds"].tolist() == [1.0]
    assert set(recorded_origin(name, "alone.csv")) == {"host", "versions", "date"}
    with pytest.raises(FileNotFoundError):
        recorded_table(name, "none.csv")


def test_a_record_is_refused_before_anything_is_written(tmp_path):
    table = pd.DataFrame({"seconds": [1.0]})
    with pytest.raises(ValueError, match=r"path must end in \.csv, got '.*times'"):
        record_table(table, tmp_path / "times")
    with pytest.raises(ValueError, match="about must have none of host, versions, date, got date"):
        record_table(table, tmp_path / "times.csv", {"date": "today"})
    assert not list(tmp_path.iterdir())
