"""The reader's own machine: saved, found again, never mixed up with the registry's."""

import pytest

from perfmodel import machines
from perfmodel.machines.machine import MachineFigure


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path / "machines"))
    return tmp_path / "machines"


def measured(**changes):
    bandwidth = MachineFigure(
        2e10, "bytes/s", "measured", "triad", "2026-11-21", True, low=1.9e10, high=2.1e10
    )
    values = {"memory_bandwidth": bandwidth, "peak_fp64": 5e10}
    return machines.measured_machine(values, name="my laptop", source="two loops", **changes)


def test_without_an_own_machine_the_labelled_example_stands_in():
    machine = machines.this_machine()
    assert machine.id == machines.EXAMPLE
    assert machine.name.startswith("Example machine")
    assert machine.has("memory_bandwidth", "peak_fp64", "last_level_cache")
    assert all(figure.kind == "measured" for figure in machine.figures.values())


def test_a_saved_machine_comes_back_as_it_was():
    machine = measured(date="2026-11-21")
    machines.save(machine)
    assert machines.this_machine() == machine
    assert machines.get("this-machine") == machine
    assert machines.ids()[-1] == "this-machine"
    assert "this-machine" in machines.table().index
    assert "this-machine" not in machines.table(own=False).index
    assert "this-machine" not in set(machines.figures(own=False).machine)
    assert machines.this_machine().figure("memory_bandwidth").low == 1.9e10


def test_saving_again_replaces_and_forgetting_returns_to_the_example():
    machines.save(measured())
    faster = machines.measured_machine({"peak_fp64": 9e10}, name="new", source="loop")
    machines.save(faster)
    assert machines.this_machine() == faster
    machines.delete()
    machines.delete()
    assert machines.this_machine().id == machines.EXAMPLE


def test_several_machines_are_kept_side_by_side():
    machines.save(measured(id="my-server"))
    assert machines.get("my-server").memory_bandwidth == 2e10
    assert machines.this_machine().id == machines.EXAMPLE


def test_the_registry_cannot_be_overwritten():
    with pytest.raises(ValueError, match="id must not be one of the registry's, got 't4'"):
        machines.save(measured(id="t4"))


def test_a_broken_file_says_which_and_what_to_do(own_folder):
    own_folder.mkdir()
    for text in ("{", "[]", '{"id": "this-machine"}', '{"id": 1, "name": "x", "figures": 3}'):
        (own_folder / "this-machine.json").write_text(text)
        with pytest.raises(ValueError, match=r"this-machine\.json can't be read .* save it again"):
            machines.this_machine()


def test_measured_figures_must_be_positive_with_a_known_unit():
    with pytest.raises(ValueError, match="peak_fp64 must be above 0, got 0"):
        machines.measured_machine({"peak_fp64": 0}, name="x", source="y")
    with pytest.raises(ValueError, match="got 'memory_bandwidht'; known: memory_bandwidth"):
        machines.measured_machine({"memory_bandwidht": 1e9}, name="x", source="y")


def test_a_quantity_of_ones_own_comes_as_a_figure():
    wake = MachineFigure(3e-6, "s", "measured", "futex loop", "2026-11-21", True)
    machines.save(machines.measured_machine({"wake_up": wake}, name="x", source="y"))
    assert machines.this_machine().value("wake_up") == 3e-6
    assert machines.shown(machines.this_machine(), "wake_up") == "3 µs"


def test_folder_without_the_variable_is_the_users(monkeypatch):
    monkeypatch.delenv("PERFMODEL_MACHINES_DIR")
    assert machines.folder().name == "machines"
    assert "perfmodel" in str(machines.folder())
