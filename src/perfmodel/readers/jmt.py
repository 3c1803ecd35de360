"""Models of the Java Modelling Tools: `.jmva` (analytical) and `.jsimg` (drawn for simulation).

What the package's solvers can't hold is refused by its name in the file: class switches, forks,
finite regions, load-dependent service of several classes, routing by state, priorities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from perfmodel.queueing.network.elements import Discipline, JobClass, Law, Station
from perfmodel.queueing.network.model import Network
from perfmodel.readers.refusal import UnreadableFileError, text_of
from perfmodel.validation import Floats

FORMATS = {
    "JMT .jmva": lambda text: "<model" in text and "<stations" in text,
    "JMT .jsimg": lambda text: "<sim " in text and "<userClass" in text,
}
_DRAW = "draw it without, or solve it in JMT"
_PASSING = ("LogTunnel", "ServiceTunnel")
_SERVING = ("Server", "PSServer", "Delay")


@dataclass(frozen=True, eq=False)
class JmtModel:
    """A network as JMT drew it."""

    network: Network
    traps: tuple[str, ...]
    arrivals: Mapping[str, Law] = field(default_factory=dict)
    """Laws of interarrival times of open classes whose arrivals aren't Poisson."""


def read_jmt(path: Path | str) -> JmtModel:
    """Return the network of a JMT file.

    Raises
    ------
    UnreadableFileError
        If it is no XML, or holds what the solvers can't.
    """
    path = Path(path)
    text_of(path, "latin-1")
    content = path.read_bytes()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableFileError(path, 1, "the file declares entities", "save it with JMT")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        cure = "the file may be truncated: save it again with JMT"
        raise UnreadableFileError(path, error.position[0], f"no XML ({error})", cure) from None
    if root.tag not in ("model", "sim", "archive"):
        cure = "give a .jmva or .jsimg file"
        raise UnreadableFileError(path, 1, f"the XML is a {root.tag!r}, no model of JMT", cure)
    try:
        sim = root if root.tag == "sim" else root.find("sim")
        return _Simulation(path, sim).model() if sim is not None else _analytical(path, root)
    except UnreadableFileError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        cure = "save it again with JMT"
        raise UnreadableFileError(path, None, f"the model isn't complete ({error})", cure) from None


def _analytical(path: Path, root: ElementTree.Element) -> JmtModel:
    classes = [
        JobClass(
            one.attrib["name"],
            population=int(one.attrib["population"]),
            think_time=float(one.attrib.get("thinktime", 0)),
        )
        if one.tag == "closedclass"
        else JobClass(one.attrib["name"], arrival_rate=float(one.attrib["rate"]))
        for one in root.iter()
        if one.tag in ("closedclass", "openclass")
    ]
    stations, service, visits = [], [], []
    places = root.find("parameters/stations")
    for place in places if places is not None else ():
        name = place.attrib["name"]
        if place.tag not in ("delaystation", "listation", "ldstation"):
            what = f"station {name!r} is a {place.tag}, which no solver here holds"
            raise UnreadableFileError(path, None, what, _DRAW)
        times = {one.attrib["customerclass"]: one.text or "0" for one in place.iter("servicetime")}
        ratios = {one.attrib["customerclass"]: float(one.text or 0) for one in place.iter("visit")}
        speeds: tuple[float, ...] = ()
        if place.tag == "ldstation":
            means, speeds = _load_dependent(path, name, [times[c.name] for c in classes])
        else:
            means = [float(times.get(c.name, 0)) for c in classes]
        kind: Discipline = "delay" if place.tag == "delaystation" else "PS"
        servers = 1 if kind == "delay" else int(place.attrib.get("servers", 1))
        stations.append(Station(name, servers, kind, speeds=speeds))
        service.append(means)
        visits.append([ratios.get(c.name, 0.0) for c in classes])
    counted = np.array(visits).T
    for one in root.iter("Class"):
        job, station = one.attrib["name"], one.attrib["refStation"]
        names, kinds = [s.name for s in stations], [c.name for c in classes]
        if job in kinds and station in names:
            row = kinds.index(job)
            counted[row] /= counted[row, names.index(station)] or 1.0
    traps = [
        "JMVA solves stations as if they had a product form: a queue of several classes with "
        "different service times counts as processor sharing."
    ]
    if root.find(".//whatIf") is not None:
        traps.append("The file also holds a what-if analysis; the model itself was solved.")
    return JmtModel(Network(stations, classes, np.array(service).T, visits=counted), tuple(traps))


def _load_dependent(
    path: Path, name: str, texts: list[str]
) -> tuple[list[float], tuple[float, ...]]:
    rows = [[float(cell) for cell in text.split(";") if cell] for text in texts]
    ratios = [[row[0] / cell for cell in row] for row in rows]
    if any(not np.allclose(ratios[0], one) for one in ratios if len(one) == len(ratios[0])):
        what = f"load-dependent station {name!r} speeds up differently for each class"
        raise UnreadableFileError(path, None, what, _DRAW)
    return [row[0] for row in rows], tuple(ratios[0])


class _Simulation:
    """One `.jsimg` file being read."""

    def __init__(self, path: Path, sim: ElementTree.Element) -> None:
        self.path, self.sim = path, sim
        self.jobs = list(sim.findall("userClass"))
        self.nodes = {node.attrib["name"]: node for node in sim.findall("node")}
        self.laws: dict[str, Law] = {}

    def refuse(self, what: str) -> UnreadableFileError:
        """Return the refusal of what the solvers can't hold."""
        return UnreadableFileError(self.path, None, f"{what}, which no solver here holds", _DRAW)

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
            [self.law(name, job.attrib["name"], _SERVING) for name in serving] for job in self.jobs
        ]
        network = Network(
            stations,
            [self.job(job) for job in self.jobs],
            service,
            routing=np.array(routes),
            entry=np.array(entries),
        )
        traps = ["JMT doesn't say the unit of time; it is taken to be seconds."]
        return JmtModel(network, tuple(traps), self.laws)

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
        if queue is None:
            return
        size = queue.find("parameter[@name='size']/value")
        if size is not None and int(size.text or -1) != -1:
            raise self.refuse(f"node {name!r} has room for {size.text} jobs only")
        for one in queue.iter():
            strategy = one.attrib.get("classPath", "").rpartition(".")[2]
            order = strategy.endswith("Strategy") or strategy.endswith("strategy")
            plain = ("FCFSstrategy", "TailStrategy", "QueuePutStrategy", "TailStrategyPriority")
            if order and strategy not in plain:
                raise self.refuse(f"node {name!r} queues by {strategy}")

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
        return Station(name, count, kind)

    def job(self, job: ElementTree.Element) -> JobClass:
        """Return a class of jobs."""
        name = job.attrib["name"]
        if job.attrib["type"] == "closed":
            return JobClass(name, population=int(job.attrib["customers"]))
        gaps = self.law(job.attrib["referenceSource"], name, ("RandomSource",))
        mean = float(gaps.moment(1)) if isinstance(gaps, Law) else gaps
        if not isinstance(gaps, float | Exponential):
            self.laws[name] = gaps
        return JobClass(name, arrival_rate=1 / mean)

    def entry_of(
        self, name: str, job: str, kinds: tuple[str, ...], label: str
    ) -> ElementTree.Element | None:
        """Return what a section's array holds for a class."""
        section = self.section(name, kinds)
        array = None if section is None else section.find(f"parameter[@name='{label}']")
        current = None
        for one in array if array is not None else ():
            if one.tag == "refClass":
                current = one.text
            elif current == job:
                return one
        return None

    def law(self, name: str, job: str, kinds: tuple[str, ...]) -> float | Law:
        """Return the law of a class's times at a node; 0 where it asks for none."""
        found = self.entry_of(name, job, kinds, "ServiceStrategy")
        if found is None or found.attrib.get("name") in ("ZeroServiceTimeStrategy", "null"):
            return 0.0
        inner = list(found)
        if found.attrib.get("name") != "ServiceTimeStrategy" or len(inner) < 2:
            raise self.refuse(f"{job!r} at {name!r} has a {found.attrib.get('name')}")
        kind = inner[0].attrib["classPath"].rpartition(".")[2]
        given = {one.attrib["name"]: float(one[0].text or 0) for one in inner[1] if len(one)}
        if kind == "Exponential":
            return Exponential(1 / given["lambda"])
        if kind == "DeterministicDistr":
            return Deterministic(given["t"])
        if kind == "Erlang":
            return Erlang(given["r"] / given["alpha"], int(given["r"]))
        if kind == "Uniform":
            return Uniform(given["min"], given["max"])
        if kind == "HyperExp":
            p = given["p"]
            return Hyperexponential((p, 1 - p), (1 / given["lambda1"], 1 / given["lambda2"]))
        raise self.refuse(f"{job!r} at {name!r} has a law {kind}")

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
            return np.eye(k)[0], route
        return passing[names.index(job.attrib["referenceSource"]) - k], route
