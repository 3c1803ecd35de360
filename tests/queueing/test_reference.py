"""Textbook values, with their sources in reference.csv: every row at the tolerance it states."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Deterministic, Erlang, Exponential
from perfmodel.queueing.fleet.power_of_choices import power_of_choices, power_of_choices_tail
from perfmodel.queueing.network import bounds
from perfmodel.queueing.network.mva import throughput_curve
from perfmodel.queueing.operational_analysis import operational_laws
from perfmodel.queueing.station.birth_death import machine_repair, machine_repair_probabilities
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.queueing.station.ggc import allen_cunneen, kingman_bound, kraemer_langenbach_belz
from perfmodel.queueing.station.gm1 import gm1
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc, mmc_response_quantile, mmc_waiting_quantile
from perfmodel.queueing.station.mmck import mmck, mmck_probabilities
from perfmodel.queueing.station.priorities import nonpreemptive_priorities
from perfmodel.queueing.station.scheduling import mean_response
from queueing.reference_networks import ANSWERS as NETWORK_ANSWERS
from queueing.reference_simulation import ANSWERS as SIMULATION_ANSWERS

with (Path(__file__).parent / "reference.csv").open(newline="") as table:
    ROWS = list(csv.DictReader(table))


def measured_disk(T, B, C):
    seen = operational_laws.observe(T, B, C)
    return {"S": seen.service_time, "X": seen.throughput, "U": seen.utilization}


def interactive(N, Z, disk_visits, disk_S, disk_U):
    disk = disk_U / disk_S
    system = operational_laws.system_throughput(disk, disk_visits)
    response = operational_laws.interactive_response_time(N, system, Z)
    return {"X_disk": disk, "X": system, "R": response}


def asymptotic(D, Z, N, R_target):
    limits = bounds.asymptotic_bounds(D, N, Z)
    return {
        "N_star": bounds.saturation_population(D, Z),
        "X_lower": limits.throughput_low,
        "X_upper": limits.throughput_high,
        "R_lower": limits.response_low,
        "R_upper": limits.response_high,
        "N_max_for_R_target": bounds.population_within(D, R_target, Z),
    }


def balanced(D, Z, N):
    limits = bounds.balanced_job_bounds(D, N, Z)
    exact = throughput_curve(D, max(N), Z)[np.array(N) - 1]
    return {"X_lower": limits.throughput_low, "X_upper": limits.throughput_high, "X_exact": exact}


def geometric(D, Z, N):
    limits = bounds.geometric_bounds(D, N, Z)
    return {"X_lower": limits.throughput_low, "X_upper": limits.throughput_high}


def mm1_percentiles(arrival_rate, service_rate, quantiles):
    return {
        "W_q": mmc_response_quantile(quantiles, arrival_rate, service_rate),
        "Wq_q": mmc_waiting_quantile(quantiles, arrival_rate, service_rate),
    }


def terminals(arrival_rate, service_rate, servers):
    result = mmc(arrival_rate, service_rate, servers)
    return {
        "rho": result.utilization,
        "p0": mmck_probabilities(arrival_rate, service_rate, servers, 400)[0],
        "P_wait": erlang_c(servers, arrival_rate / service_rate),
        "L": result.queue_length,
        "Lq": result.waiting_length,
        "W": result.response_time,
        "Wq": result.waiting_time,
        "wait_p90": mmc_waiting_quantile(0.9, arrival_rate, service_rate, servers),
    }


def large_centre(servers, offered_load):
    return {
        "P_wait": erlang_c(servers, offered_load),
        "Wq_over_service": mmc(offered_load, 1.0, servers).waiting_time,
    }


def finite_room(arrival_rate, service_rate, servers, capacity):
    result = mmck(arrival_rate, service_rate, servers, capacity)
    return {
        "p0": mmck_probabilities(arrival_rate, service_rate, servers, capacity)[0],
        "P_block": result.loss_probability,
        "X": result.throughput,
        "L": result.queue_length,
        "W": result.response_time,
        "Wq": result.waiting_time,
    }


def pollaczek_khinchine(arrival_rate, mean_service, scv):
    return {
        "W": mg1(
            arrival_rate=arrival_rate, mean_service=mean_service, scv=list(scv.values())
        ).response_time
    }


def priorities(arrival_rates, mean_service):
    return {"W": nonpreemptive_priorities(arrival_rates, mean_service).response_time}


def policies(arrival_rate, mean_service):
    names = ("FCFS", "PS", "SJF", "PSJF", "SRPT")
    law = Exponential(mean_service)
    return {name: mean_response(name, arrival_rate, law).response_time for name in names}


def renewal_arrivals(arrival_rate, service_rate):
    constant = gm1(Deterministic(1 / arrival_rate), service_rate)
    erlang = gm1(Erlang(1 / arrival_rate, 2), service_rate)
    return {
        "sigma_D": constant.sigma,
        "W_D": constant.response_time,
        "sigma_E2": erlang.sigma,
        "W_E2": erlang.response_time,
    }


def two_moments(arrival_rate, service_rate, ca2, cs2, exact_laws):
    given = (arrival_rate, 1 / service_rate, ca2, cs2)
    arrivals = ArrivalProcess.renewal(PhaseType.of_two_moments(1 / arrival_rate, ca2))
    exact = solve_phase_queue(arrivals, PhaseType.of_two_moments(1 / service_rate, cs2))
    return {
        "kingman_upper": kingman_bound(*given).waiting_time,
        "allen_cunneen": allen_cunneen(*given).waiting_time,
        "klb": kraemer_langenbach_belz(*given).waiting_time,
        "exact_ph": exact.waiting_time,
    }


def repair_shop(N, mean_up_time, mean_repair, repairmen):
    result = machine_repair(N, mean_up_time, mean_repair, repairmen)
    inside = machine_repair_probabilities(N, mean_up_time, mean_repair, repairmen)
    return {
        "X": result.throughput,
        "L": result.queue_length,
        "R": result.response_time,
        "P_all_busy": inside[repairmen:].sum(),
    }


def best_of_d(load, d):
    return {
        "W": power_of_choices(load, d).response_time,
        "tail": power_of_choices_tail(load, d, 6),
    }


ANSWERS = (
    NETWORK_ANSWERS
    | SIMULATION_ANSWERS
    | {
        "oplaw-menasce": measured_disk,
        "oplaw-interactive": interactive,
        "bounds-asymptotic": asymptotic,
        "bounds-balanced": balanced,
        "bounds-geometric": geometric,
        "mm1-percentiles": mm1_percentiles,
        "mm5-terminals": terminals,
        "erlangc-1000": large_centre,
        "mmck": finite_room,
        "mg1-pk": pollaczek_khinchine,
        "prio-nonpreemptive": priorities,
        "policies-exponential": policies,
        "gm1": renewal_arrivals,
        "gg1-approx": two_moments,
        "machine-repair": repair_shop,
        "power-of-two": best_of_d,
    }
)


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row(row):
    published = json.loads(row["outputs"])
    ours = ANSWERS[row["id"]](**json.loads(row["inputs"]))
    assert set(ours) == set(published)
    for name, value in published.items():
        np.testing.assert_allclose(ours[name], value, rtol=float(row["rtol"]), err_msg=name)
