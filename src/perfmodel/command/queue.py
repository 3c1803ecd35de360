"""`perfmodel queue`: a queueing network drawn in JMT, solved."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from perfmodel.command.answer import Answer, Cell, Quantity
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.queueing.network.bcmp import bcmp
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import Solution, TooBigError
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.readers.jmt import read_jmt
from perfmodel.readers.jmt.simulation import JmtModel
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.units import percent
from perfmodel.validation import Floats

_ASSUMED = (
    Assumable(
        "customers",
        "jobs or cycles to simulate, if it is simulated",
        200_000.0,
        source="2 s",
        least=1000.0,
    ),
    Assumable("seed", "of the simulation", 0.0, source="chosen", least=0.0),
)


@answers(assume=_ASSUMED)
@click.argument("model", type=click.Path(path_type=Path))
def queue(assumed: Assumed, model: Path) -> Answer:
    """Solve a queueing network drawn in JMT: .jmva or .jsimg.

    \b
      perfmodel queue shop.jmva
      perfmodel queue shop.jsimg --assume customers=1000000

    A network of product form is solved exactly, any other is simulated. What no solver here can
    hold is refused by its name: class switches, forks, finite regions, priorities, routing that
    looks at the state.
    """  # noqa: D301
    read = read_jmt(model)
    reasons = [] if model.suffix == ".jmva" else list(product_form_violations(read.network))
    reasons += [
        f"station {one.name!r} has room for {one.capacity:g} jobs only"
        for one in read.network.stations
        if np.isfinite(one.capacity)
    ]
    reasons += [f"class {name!r} doesn't arrive as Poisson" for name in read.arrivals]
    try:
        read.network.check_stable()
        if not reasons:
            return _exact(read, bcmp(read.network), assumed)
    except TooBigError as error:
        reasons.append(str(error))
    except ValueError as error:
        cure = "lower an arrival rate or add servers"
        raise UnreadableFileError(model, None, str(error), cure) from None
    try:
        return _simulated(read, reasons, assumed)
    except ValueError as error:
        cure = "draw it so that no job waits for ever, or solve it in JMT"
        raise UnreadableFileError(model, None, str(error), cure) from None


def _exact(read: JmtModel, solved: Solution, assumed: Assumed) -> Answer:
    classes = read.network.classes
    quantities = [
        Quantity(f"{what} of {job.name}", float(values[i]), None, None, unit, "exact for the model")
        for i, job in enumerate(classes)
        for what, values, unit in (
            ("throughput", solved.throughput, "1/s"),
            ("response time", solved.response_time, "s"),
        )
    ]
    steps = (
        f"The network has a product form, and {solved.method} solves it exactly.",
        "A response time counts from entering to leaving the stations, thinking at delays in it.",
    )
    times = solved.residence_time
    return _answer(
        read, quantities, solved.utilization, times, solved.throughput, steps, (), assumed
    )


def _simulated(read: JmtModel, reasons: list[str], assumed: Assumed) -> Answer:
    network = read.network
    run = simulate(
        network,
        int(assumed["customers"]),
        int(assumed["seed"]),
        arrivals=read.arrivals,
        when_full=read.when_full,
        progress=False,
    )
    quantities = []
    for i, job in enumerate(network.classes):
        for what, found, unit in (
            ("throughput", run.throughput, "1/s"),
            ("response time", run.response_time, "s"),
        ):
            value, low, high = (_or_none(part[i]) for part in (found.value, found.low, found.high))
            low = None if low is None else max(0.0, low)
            quantities.append(Quantity(f"{what} of {job.name}", value, low, high, unit, "95 %"))
    steps = (
        "The network has no product form, so it was simulated event by event.",
        f"{run.customers} jobs were seen; the first {run.warm_up_customers} were dropped.",
    )
    unknown = tuple(f"An exact answer: {reason}." for reason in reasons)
    load, rate = run.throughput.value[:, None] * network.service_demand, run.throughput.value
    servers = np.array([1 if s.is_delay else s.servers for s in network.stations])
    times = np.asarray(run.residence_time.value)
    return _answer(read, quantities, load / servers, times, rate, steps, unknown, assumed)


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _answer(
    read: JmtModel,
    quantities: list[Quantity],
    utilization: Floats,
    times: Floats,
    rate: Floats,
    steps: tuple[str, ...],
    unknown: tuple[str, ...],
    assumed: Assumed,
) -> Answer:
    network = read.network
    busy = utilization.sum(axis=0)
    queues = [k for k, station in enumerate(network.stations) if not station.is_delay]
    order = sorted(queues, key=lambda k: -busy[k])
    named = [f"{network.stations[k].name} (utilization {percent(busy[k])})" for k in order]
    binds = named[0] if named else "nothing: all stations are delays"
    jobs = ", ".join(job.name for job in network.classes)
    return Answer(
        f"How does the network serve {jobs} at {', '.join(s.name for s in network.stations)}?",
        None,
        f"The busiest station is {binds}.",
        tuple(quantities),
        assumed.listed() if unknown else (),
        binds,
        named[1] if len(named) > 1 else "",
        unknown,
        read.traps,
        steps,
        "book/queueing-networks.md",
        {"Stations": tuple(_rows(network, utilization, times, rate))},
    )


def _rows(
    network: Network, utilization: Floats, times: Floats, rate: Floats
) -> list[dict[str, Cell]]:
    return [
        {
            "station": station.name,
            "class": job.name,
            "visits/s": float(rate[i] * network.visits[i, k]),
            "utilization": None if station.is_delay else float(utilization[i, k]),
            "jobs": float(rate[i] * times[i, k]),
            "residence (s)": float(times[i, k]),
        }
        for k, station in enumerate(network.stations)
        for i, job in enumerate(network.classes)
        if network.visits[i, k] > 0
    ]
