"""Models of the Java Modelling Tools: `.jmva` (analytical) and `.jsimg` (drawn for simulation).

What the package's solvers can't hold is refused by its name in the file: class switches, forks,
finite regions, load-dependent service of several classes, routing by state, priorities.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from perfmodel.queueing.network.elements import Discipline, JobClass, Station
from perfmodel.queueing.network.model import Network
from perfmodel.readers.jmt.simulation import DRAW, JmtModel, Simulation
from perfmodel.readers.refusal import UnreadableFileError, refusing, text_of

FORMATS = {
    "JMT .jmva": lambda text: "<model" in text and "<stations" in text,
    "JMT .jsimg": lambda text: "<sim " in text and "<userClass" in text,
}


def read_jmt(path: Path | str) -> JmtModel:
    """Return the network of a JMT file.

    Raises `UnreadableFileError` if it is no XML, or holds what the solvers can't.
    """
    path = Path(path)
    text_of(path, "latin-1")
    content = path.read_bytes()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableFileError(path, 1, "the file declares entities", "save it with JMT")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        line = error.position[0] if isinstance(error, ElementTree.ParseError) else 1
        cure = "the file may be truncated: save it again with JMT"
        raise UnreadableFileError(path, line, f"no XML ({error})", cure) from None
    if root.tag not in ("model", "sim", "archive"):
        cure = "give a .jmva or .jsimg file"
        raise UnreadableFileError(path, 1, f"the XML is a {root.tag!r}, no model of JMT", cure)
    sim = root if root.tag == "sim" else root.find("sim")
    if sim is None:
        return refusing(path, "model", _analytical, path, root)
    return refusing(path, "model", lambda: Simulation(path, sim).model())


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
            raise UnreadableFileError(path, None, what, DRAW)
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
        raise UnreadableFileError(path, None, what, DRAW)
    return [row[0] for row in rows], tuple(ratios[0])
