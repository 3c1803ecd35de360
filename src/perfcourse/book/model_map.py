"""Which general models carry which labs: read from the imports of notebooks and labs.

A lab uses a model if its notebook or a module of its folder imports from the model's module, or
another lab does from which it imports. What a general module imports for its own work doesn't
count: a lab that calls `mg1` uses `mg1`, and not the moments that `mg1` takes from elsewhere.
"""

from __future__ import annotations

import ast
import importlib.util
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import perfmodel
from perfcourse.book import sources

LABS = "notebooks/"


@cache
def _stub(topic: str) -> dict[str, str]:
    """Return the module that each public name of a topic, or of a room of it, comes from."""
    spec = importlib.util.find_spec(topic) if topic else None
    stub = Path(str(spec.origin)).with_suffix(".pyi") if spec and spec.origin else None
    if stub is None or not stub.is_file():
        return {}
    nodes = ast.parse(stub.read_text("utf-8")).body
    return {
        alias.asname or alias.name: f"{topic}.{node.module}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@cache
def imported(source: str) -> frozenset[str]:
    r"""Return the modules of `perfmodel` that source code imports from, by full names.

    >>> sorted(imported("from perfmodel.queueing import mg1"))
    ['perfmodel.queueing.station.mg1']
    >>> sorted(imported("from perfmodel import queueing\nqueueing.mm1(1, 2)"))
    ['perfmodel.queueing.station.mmc']
    """
    if "perfmodel" not in source:
        return frozenset()
    nodes = list(ast.walk(ast.parse(source)))
    modules: set[str] = set()
    places: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perfmodel"):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                home = _stub(str(node.module)).get(alias.name)
                module = home or (name if _is_module(name) else str(node.module))
                modules.add(module)
                places[alias.asname or alias.name] = module
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names if alias.name.startswith("perfmodel.")}
    faces = {name: module for name, module in places.items() if _stub(module)}
    for node in nodes if faces else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            home = _stub(faces.get(node.value.id, "")).get(node.attr)
            modules |= {home} if home else set()
    return frozenset(name for name in modules if not _stub(name))


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def room(module: str) -> str | None:
    """Return a general module's model as `TOPIC/ROOM`, None for what is no topic's.

    >>> room("perfmodel.queueing.station.mg1"), room("perfmodel.roofline.model")
    ('queueing/station', 'roofline/model')
    >>> room("perfmodel.labs.queueing.bottleneck.tasks"), room("perfmodel.units")
    (None, None)
    """
    parts = module.split(".")
    return "/".join(parts[1:3]) if parts[1] in perfmodel.TOPICS and len(parts) > 2 else None


def labs(project: Path) -> dict[str, frozenset[str]]:
    """Return the models that each lab uses, as `room` names them, by its page in reading order."""
    pages = [page for page in sources.pages(project) if page.startswith(LABS)]
    return {page: frozenset(_rooms(project, page)) for page in pages}


def _rooms(project: Path, page: str) -> set[str]:
    waiting: set[str] = set().union(*map(imported, _code(project, page)))
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in seen and module.startswith("perfmodel.labs."):
            spec = importlib.util.find_spec(module)
            waiting |= imported(Path(str(spec.origin)).read_text("utf-8")) if spec else frozenset()
        seen.add(module)
    return {found for found in map(room, seen) if found}


def _code(project: Path, page: str) -> Iterator[str]:
    """Yield the code of a lab's notebook, and of its folder of modules where there is one."""
    cells = json.loads((project / f"{page}.ipynb").read_text("utf-8"))["cells"]
    code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    yield from map(sources.plain, code)
    _, topic, name = page.split("/")
    folder = Path(perfmodel.__file__).parent / "labs" / topic / name.replace("-", "_")
    yield from (path.read_text("utf-8") for path in sorted(folder.glob("*.py")))


def uses(project: Path) -> dict[str, list[str]]:
    """Return the labs that use each model, the most used model first."""
    pages_by_model: dict[str, list[str]] = defaultdict(list)
    for page, models in labs(project).items():
        for model in sorted(models):
            pages_by_model[model].append(page)
    return dict(sorted(pages_by_model.items(), key=lambda item: (-len(item[1]), item[0])))


class Family(NamedTuple):
    """Models that are learnt together, and what that takes: the last three are our judgement."""

    name: str
    models: tuple[str, ...]
    """Topics, or models as `room` names them."""
    mathematics: str
    programming: str
    hours: int
    """From no knowledge of the subject to a first use without help."""

    def holds(self, model: str) -> bool:
        """Return whether a model is one of the family's."""
        return model in self.models or model.partition("/")[0] in self.models


FAMILIES = (
    Family(
        "speedup laws", ("scaling",), "algebra of fractions, a derivative", "read a function", 6
    ),
    Family("roofline", ("roofline",), "units, minima of two lines", "read a loop nest", 6),
    Family(
        "operational laws and networks",
        ("queueing/operational_analysis", "queueing/network"),
        "averages, linear recursion",
        "write a loop",
        8,
    ),
    Family(
        "stations and variability",
        ("queueing/station", "queueing/distributions", "queueing/fleet"),
        "random variables, variance, conditional means",
        "arrays",
        12,
    ),
    Family(
        "simulation of queues",
        ("queueing/simulation",),
        "means with intervals",
        "events in code",
        8,
    ),
    Family("messages and shared links", ("communication",), "linear fits, logarithms", "arrays", 8),
    Family("placement and schedules", ("offloading",), "linear programs, duality", "arrays", 10),
    Family("serving", ("serving",), "what stations and the roofline need", "arrays", 10),
    Family(
        "learners and their contest",
        ("prediction",),
        "regression, cross-validation",
        "scikit-learn",
        10,
    ),
    Family("laws of learning curves", ("forecasting",), "nonlinear fits, likelihood", "SciPy", 10),
    Family("comparisons", ("benchmarking",), "means of ratios, the bootstrap", "data tables", 8),
    Family("measurement", ("measurement",), "medians and intervals", "run a command", 6),
)
"""Every model that a lab uses belongs to one of them; a test says so."""


def carried(project: Path) -> dict[str, list[str]]:
    """Return the labs that use any model of each family, by the family's name."""
    used = labs(project)
    return {
        family.name: [page for page, models in used.items() if any(map(family.holds, models))]
        for family in FAMILIES
    }
