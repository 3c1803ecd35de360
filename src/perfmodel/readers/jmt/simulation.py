"""A `.jsimg` file of the Java Modelling Tools as a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from perfmodel.queueing.distributions.light_tail import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Uniform,
)
from perfmodel.queueing.network.elements import Discipline, JobClass, ServiceDistribution, Station
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import WhenFull
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.validation import Floats

DRAW = "draw it without, or solve it in JMT"
_PASSING = ("LogTunnel", "ServiceTunnel")
_SERVING = ("Server", "PSServer", "Delay")


@dataclass(frozen=True, eq=False)
class JmtModel:
    """A network as JMT drew it."""

    network: Network
    traps: tuple[str, ...]
    arrivals: Mapping[str, ServiceDistribution] = field(default_factory=dict)
    """Laws of interarrival times of open classes whose arrivals aren't Poisson."""
    when_full: WhenFull = "block"
    """What a job does at a node without room."""


class Simulation:
    """One `.jsimg` file being read."""

    def __init__(self, path: Path, sim: ElementTree.Element) -> None:
        self.path, self.sim = path, sim
        self.jobs = list(sim.findall("userClass"))
        self.nodes = {node.attrib["name"]: node for node in sim.findall("node")}
        self.laws: dict[str, ServiceDistribution] = {}
        self.rules: set[str] = set()

    def refuse(self, what: str) -> UnreadableFileError:
        """Return the refusal of features that the solvers can't represent."""
        return UnreadableFileError(self.path, None, f"{what}, which no solver here holds", DRAW)

    def model(self) -> JmtModel:
        """Return the network."""
        for tag in ("blockingRegion", "preload"):
            found = self.sim.find(tag)
            if found is not None and (tag == "blockingRegion" or found.find(".//classPopulation")):
                raise self.refuse(f"the model has a {tag}")
        serving = [name for name in self.nodes if self.section(name, _SERVING) is not None]
        closed = [job for job in self.jobs if job.attrib["type"] == "closed"]
        references = {job.attrib["referenceSource"] for job in closed}
        if len(references) > 1:
            raise self.refuse("closed classes have different reference stations")
        serving.sort(key=lambda name: name not in references)
        if references and serving[0] not in references:
            raise self.refuse(f"reference station {references.pop()!r} doesn't serve")
        if len({job.attrib.get("priority", "0") for job in self.jobs}) > 1:
            raise self.refuse("classes have different priorities")
        for name in self.nodes:
            self.check(name)
        stations = [self.station(name) for name in serving]
        entries, routes = zip(*(self.route(job, serving) for job in self.jobs), strict=True)
        service = [
            [self.distribution(name, job.attrib["name"], _SERVING) for name in serving]
            for job in self.jobs
        ]
        network = Network(
            stations,
            [self.job(job) for job in self.jobs],
            service,
            routing=np.array(routes),
            entry=np.array(entries),
        )
        if not self.rules <= {"drop"} and not self.rules <= {"BAS blocking"}:
            raise self.refuse(f"full nodes do different things: {', '.join(sorted(self.rules))}")
        full: WhenFull = "block" if "BAS blocking" in self.rules else "lose"
        traps = ["JMT doesn't say the unit of time; it is taken to be seconds."]
        return JmtModel(network, tuple(traps), self.laws, full)

    def section(self, name: str, kinds: tuple[str, ...]) -> ElementTree.Element | None:
        """Return a node's section of one of these kinds."""
        sections = self.nodes[name].findall("section")
        return next((one for one in sections if one.attrib["className"] in kinds), None)

    def check(self, name: str) -> None:
        """Refuse a node with a section, a buffer or an order that isn't held."""
        known = (*_SERVING, *_PASSING, "Queue", "Router", "RandomSource", "JobSink")
        for one in self.nodes[name].findall("section"):
            if one.attrib["className"] not in known:
                raise self.refuse(f"node {name!r} is a {one.attrib['className']}")
        queue = self.section(name, ("Queue",))
        for one in queue.iter() if queue is not None else ():
            path = one.attrib.get("classPath", "")
            strategy = path.rpartition(".")[2]
            order = "QueueGetStrategies." in path or "QueuePutStrategies." in path
            if order and strategy not in ("FCFSstrategy", "TailStrategy", "TailStrategyPriority"):
                raise self.refuse(f"node {name!r} queues by {strategy}")
            single = strategy == "Impatience" and one.attrib.get("array") != "true"
            told = one.find("value")
            if single and (told is None or told.text != "null"):
                raise self.refuse(f"jobs at node {name!r} give up waiting")
            if one.attrib.get("name") == "retrialDistributions" and len(one):
                raise self.refuse(f"jobs at node {name!r} retry")

    def capacity(self, name: str) -> float:
        """Return how many jobs a node has room for, and note what it does with the rest."""
        queue = self.section(name, ("Queue",))
        size = None if queue is None else queue.find("parameter[@name='size']/value")
        if queue is None or size is None or int(size.text or -1) < 0:
            return inf
        told = queue.findall("parameter[@name='dropStrategies']/subParameter/value")
        self.rules |= {value.text or "" for value in told}
        return float(size.text or 0)

    def station(self, name: str) -> Station:
        """Return a serving node."""
        section = self.section(name, _SERVING)
        if section is None or section.attrib["className"] == "Delay":
            return Station(name, discipline="delay")
        servers = section.find("parameter[@name='maxJobs']/value")
        count = 1 if servers is None else int(servers.text or 1)
        shares = [one.attrib.get("classPath", "") for one in section.iter()]
        for word in ("DPSStrategy", "GPSStrategy"):
            if any(path.endswith(word) for path in shares):
                raise self.refuse(f"node {name!r} shares by {word}")
        kind: Discipline = "PS" if section.attrib["className"] == "PSServer" else "FCFS"
        return Station(name, count, kind, self.capacity(name))

    def job(self, job: ElementTree.Element) -> JobClass:
        """Return a class of jobs."""
        name = job.attrib["name"]
        if job.attrib["type"] == "closed":
            return JobClass(name, population=int(job.attrib["customers"]))
        gaps = self.distribution(job.attrib["referenceSource"], name, ("RandomSource",))
        mean = float(gaps.moment(1)) if isinstance(gaps, ServiceDistribution) else gaps
        if not mean > 0:
            raise ValueError(f"class {name!r} has no times between arrivals")
        if not isinstance(gaps, float | Exponential):
            self.laws[name] = gaps
        return JobClass(name, arrival_rate=1 / mean)

    def entry_of(
        self, name: str, job: str, kinds: tuple[str, ...], label: str
    ) -> ElementTree.Element | None:
        """Return what a section's array holds for a class."""
        section = self.section(name, kinds)
        array = None if section is None else section.find(f"parameter[@name='{label}']")
        if array is None:
            return None
        # Older files leave the names out: then the entries follow the order of the classes.
        named = [one.text for one in array.findall("refClass")]
        named = named or [one.attrib["name"] for one in self.jobs]
        return dict(zip(named, array.findall("subParameter"), strict=False)).get(job)

    def distribution(
        self, name: str, job: str, kinds: tuple[str, ...]
    ) -> float | ServiceDistribution:
        """Return the law of a class's times at a node; 0 where it asks for none."""
        found = self.entry_of(name, job, kinds, "ServiceStrategy")
        if found is None or found.attrib.get("name") in ("ZeroServiceTimeStrategy", "null"):
            return 0.0
        inner = list(found)
        if found.attrib.get("name") != "ServiceTimeStrategy" or len(inner) < 2:
            raise self.refuse(f"{job!r} at {name!r} has a {found.attrib.get('name')}")
        kind = inner[0].attrib["classPath"].rpartition(".")[2]
        if kind not in ("Exponential", "DeterministicDistr", "Erlang", "Uniform", "HyperExp"):
            raise self.refuse(f"{job!r} at {name!r} has a law {kind}")
        given = {one.attrib["name"]: float(one[0].text or 0) for one in inner[1] if len(one)}
        if kind == "Exponential":
            return Exponential(1 / given["lambda"])
        if kind == "DeterministicDistr":
            return Deterministic(given["t"])
        if kind == "Erlang":
            return Erlang(given["r"] / given["alpha"], int(given["r"]))
        if kind == "Uniform":
            return Uniform(given["min"], given["max"])
        p = given["p"]
        return Hyperexponential((p, 1 - p), (1 / given["lambda1"], 1 / given["lambda2"]))

    def targets(self, name: str, job: str) -> Iterator[tuple[str, float]]:
        """Return where a class goes from a node, with probabilities."""
        ways = [one for one in self.sim.findall("connection") if one.attrib["source"] == name]
        found = self.entry_of(name, job, ("Router",), "RoutingStrategy")
        label = "" if found is None else found.attrib.get("name", "")
        if label in ("Random", "") and ways:
            for one in ways:
                yield one.attrib["target"], 1 / len(ways)
        elif label == "Probabilities" and found is not None:
            for one in found.iter():
                if one.attrib.get("name") == "EmpiricalEntry":
                    cells = [value.text or "" for value in one.iter("value")]
                    yield cells[0], float(cells[1])
        elif ways and label != "Disabled":
            raise self.refuse(f"{name!r} routes {job!r} by {label}")

    def route(self, job: ElementTree.Element, serving: list[str]) -> tuple[Floats, Floats]:
        """Return entry and matrix of a class over the serving nodes; others are passed through."""
        names = [*serving, *(name for name in self.nodes if name not in serving)]
        matrix = np.zeros((len(names), len(names)))
        for i, name in enumerate(names):
            for target, chance in self.targets(name, job.attrib["name"]):
                matrix[i, names.index(target)] += chance
        k = len(serving)
        passing = np.linalg.solve(np.eye(len(names) - k) - matrix[k:, k:], matrix[k:, :k])
        route = matrix[:k, :k] + matrix[:k, k:] @ passing
        if job.attrib["type"] == "closed":
            # A cycle ends on coming back to the reference station, which stands first.
            route[:, 0] = 0.0
            return np.eye(k)[0], route
        return passing[names.index(job.attrib["referenceSource"]) - k], route
