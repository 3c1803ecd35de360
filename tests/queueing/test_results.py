"""Every solver of one station answers in the same words, and Little's law holds in the answer."""

import numpy as np
import pytest

from perfmodel import queueing as q

SIZES = q.Hyperexponential.balanced(1.0, 4.0)
LAYERS = [q.ServerLayer("web", 0.01, threads=4, calls=2), q.ServerLayer("base", 0.02, threads=2)]

RESULTS = {
    "mm1": lambda: q.mm1(0.7, 1.0),
    "mmc": lambda: q.mmc([1.0, 2.1], 1.0, 3),
    "mm_infinity": lambda: q.mm_infinity(6.0, 2.0),
    "mmck": lambda: q.mmck(3.0, 1.0, 2, [2, 9]),
    "machine_repair": lambda: q.machine_repair(10, 8.0, 2.0, 2),
    "mg1": lambda: q.mg1(arrival_rate=0.7, mean_service=1.0, scv=4.0),
    "mg1_vacations": lambda: q.mg1_vacations(0.7, SIZES, q.Deterministic(2.0)),
    "mg1_setup": lambda: q.mg1_setup(0.7, SIZES, q.Deterministic(2.0)),
    "mg1_batches": lambda: q.mg1_batches(0.1, SIZES, 3.0),
    "gm1": lambda: q.gm1(q.Erlang(1.4, 3), 1.0),
    "allen_cunneen": lambda: q.allen_cunneen(1.4, 1.0, 0.5, 2.0, 2),
    "marchal": lambda: q.marchal(1.4, 1.0, 0.5, 2.0, 2),
    "kingman_bound": lambda: q.kingman_bound(0.7, 1.0, 0.5, 2.0),
    "kraemer_langenbach_belz": lambda: q.kraemer_langenbach_belz(0.7, 1.0, 0.5, 2.0),
    "mdc": lambda: q.mdc(2.1, 1.0, 3),
    "solve_phase_servers": lambda: q.solve_phase_queue(q.Erlang(0.7, 2), SIZES, 2),
    "solve_phase_queue": lambda: q.solve_phase_queue(
        q.ArrivalProcess.poisson(0.7), q.PhaseType.hyperexponential(1.0, 4.0)
    ),
    "mean_response": lambda: q.mean_response("SRPT", 0.7, SIZES),
    "nonpreemptive_priorities": lambda: q.nonpreemptive_priorities([0.2, 0.4], [1.0, 1.0]),
    "multiserver_priorities": lambda: q.multiserver_priorities([0.2, 0.4], 1.0, 2),
    "polling": lambda: q.polling([0.2, 0.4], 1.0, [0.5, 0.0], ["gated", "exhaustive"]),
    "batch_queue": lambda: q.batch_queue(0.5, 1.0, 1.0, 8),
    "fork_join": lambda: q.fork_join(0.7, 1.0, 4),
    "split_merge": lambda: q.split_merge(0.3, 1.0, 4),
    "random_split": lambda: q.random_split(1.4, SIZES, 2),
    "least_work_left": lambda: q.least_work_left(1.4, SIZES, 2),
    "power_of_choices": lambda: q.power_of_choices(0.7, 2),
    "redundancy": lambda: q.redundancy(0.7, 2),
    "solve_layers": lambda: q.solve_layers(LAYERS, 50, think_time=1.0),
}


@pytest.mark.parametrize("solver", RESULTS)
def test_one_shape_and_littles_law(solver):
    result = RESULTS[solver]()
    assert isinstance(result, q.StationResult)
    assert result.queue_length == pytest.approx(result.throughput * result.response_time)
    assert result.waiting_length == pytest.approx(result.throughput * result.waiting_time)
    assert (np.asarray(result.waiting_time) >= 0).all()
    assert (np.asarray(result.response_time) > np.asarray(result.waiting_time)).all()
    assert result.throughput == pytest.approx(result.arrival_rate * (1 - result.loss_probability))
    assert result.method
