from pathlib import Path

import numpy as np
import pytest

from perfmodel.queueing import bcmp, simulate
from perfmodel.readers.jmt import read_jmt
from perfmodel.readers.refusal import UnreadableFileError

SAMPLES = Path(__file__).parent / "samples"


def test_a_closed_model_of_jmva_is_solved_as_by_hand():
    """Two classes at two queues and a delay: the product form, summed over all states."""
    network = read_jmt(SAMPLES / "closed.jmva").network
    assert [station.name for station in network.stations] == ["Think", "CPU", "Disk"]
    assert network.service_demand == pytest.approx(np.array([[2, 0.15, 0.16], [0.5, 0.4, 0.08]]))
    assert network.population.tolist() == [6, 3]
    assert bcmp(network).throughput == pytest.approx(summed((6, 3), network.service_demand))


def summed(population, demands):
    """Return throughputs from normalising constants, by adding up every state."""
    from itertools import product
    from math import comb, factorial

    def constant(people):
        total = 0.0
        ranges = [range(n + 1) for n in people for _ in (0, 1)]
        for split in product(*ranges):
            cpu, disk = split[0::2], split[1::2]
            rest = [n - a - b for n, a, b in zip(people, cpu, disk, strict=True)]
            if min(rest) < 0:
                continue
            weight = 1.0
            for i, left in enumerate(rest):
                weight *= demands[i, 0] ** left / factorial(left)
                weight *= demands[i, 1] ** cpu[i] * demands[i, 2] ** disk[i]
            total += weight * comb(sum(cpu), cpu[0]) * comb(sum(disk), disk[0])
        return total

    whole = constant(population)
    fewer = [tuple(n - (i == j) for j, n in enumerate(population)) for i in range(2)]
    return [constant(one) / whole for one in fewer]


def test_a_closed_model_of_jsimg_cycles_through_its_reference_station():
    network = read_jmt(SAMPLES / "closed_1class_2stat.jsimg").network
    assert network.stations[0].is_delay
    assert network.visits[0, 0] == pytest.approx(1.0)
    solved = bcmp(network)
    assert solved.response_time * solved.throughput == pytest.approx([5.0])


def test_a_full_node_drops_as_in_the_formula():
    """M/M/1/1 at half its capacity loses a third."""
    model = read_jmt(SAMPLES / "drop.jsimg")
    assert model.when_full == "lose"
    run = simulate(model.network, 100_000, when_full=model.when_full, progress=False)
    assert run.loss_probability.covers(1 / 3).all()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("closed_2class_2stat_switch.jsimg", "node 'ClassSwitch 1' is a ClassSwitch"),
        ("open_3class_3stat_loadbal.jsimg", "routes 'Class1' by Join the Shortest Queue"),
    ],
)
def test_what_no_solver_holds_is_refused_by_name(name, told):
    with pytest.raises(UnreadableFileError, match=told):
        read_jmt(SAMPLES / name)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("</model>", "", "no XML"),
        ("listation", "forkstation", "station 'CPU' is a forkstation"),
        ('population="6"', 'population="six"', "the model lacks something"),
        ('encoding="UTF-8"', 'encoding="none"', "no XML"),
        ("<?xml", "<!DOCTYPE a><?xml", "declares entities"),
        ("2.0</servicetime>", "2,0</servicetime>", "the model lacks something"),
    ],
)
def test_a_damaged_model_is_refused(old, new, told, tmp_path):
    path = tmp_path / "broken.jmva"
    path.write_text((SAMPLES / "closed.jmva").read_text().replace(old, new))
    with pytest.raises(UnreadableFileError, match=told) as refused:
        read_jmt(path)
    assert "\n" not in str(refused.value)


def test_a_class_that_never_arrives_is_refused(tmp_path):
    text = (SAMPLES / "drop.jsimg").read_text()
    source, _, rest = text.partition("ServiceTimeStrategy")
    path = tmp_path / "silent.jsimg"
    path.write_text(
        f"{source}ZeroServiceTimeStrategy{rest}".replace(
            'name="ServiceTimeStrategy"', 'name="ZeroServiceTimeStrategy"', 1
        )
    )
    with pytest.raises(UnreadableFileError, match="has no times between arrivals"):
        read_jmt(path)
