"""Provenance read from a fake system, from this one, and through plain data."""

import json

import pytest

from perfmodel.measurement.provenance import Cache, from_dict, host, provenance


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
    found = host(system)
    assert found.processor == "Example 9000"
    assert found.governor == "powersave"
    assert found.virtual is True
    assert found.caches == (Cache(1, "Data", 32768, 2), Cache(3, "Unified", 2097152, 8))


def test_a_system_that_shows_nothing_is_unknown_and_no_error(tmp_path):
    found = host(tmp_path)
    assert found.governor == "unknown"
    assert found.caches == ()
    assert found.virtual is None
    assert found.processor


def test_it_survives_json():
    found = provenance()
    assert from_dict(json.loads(json.dumps(found.as_dict()))) == found
    assert found.date.endswith("+00:00")
    assert {"python", "numpy", "scipy", "perfmodel"} <= set(found.versions)


def test_a_field_too_many_or_too_few_is_an_error():
    data = provenance().as_dict()
    with pytest.raises(KeyError):
        from_dict({key: value for key, value in data.items() if key != "date"})
    with pytest.raises(TypeError):
        from_dict(data | {"host": data["host"] | {"colour": "red"}})
