"""Each topic's face: what `dir` and tab completion show can be imported and means one thing."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

TOPICS = (
    "measurement",
    "scaling",
    "roofline",
    "queueing",
    "communication",
    "offloading",
    "serving",
    "prediction",
    "forecasting",
    "benchmarking",
    "machines",
)
FACES = {topic: importlib.import_module(f"perfmodel.{topic}") for topic in TOPICS}
NAMES = [(topic, name) for topic, face in FACES.items() for name in face.__all__]


@pytest.mark.parametrize(("topic", "name"), NAMES)
def test_name_can_be_imported_and_is_explained(topic: str, name: str) -> None:
    thing = getattr(FACES[topic], name)
    if not callable(thing):
        return
    words = inspect.getdoc(thing) or ""
    assert len(words.split()) >= 3
    if inspect.isfunction(thing):
        unexplained = [
            parameter
            for parameter in inspect.signature(thing).parameters
            if not re.search(rf"\b{parameter}\b", words)
        ]
        assert unexplained == []


@pytest.mark.parametrize("topic", TOPICS)
def test_face_is_listed_and_hides_no_module(topic: str) -> None:
    face = FACES[topic]
    assert set(face.__all__) <= set(dir(face))
    assert len(set(face.__all__)) == len(face.__all__)
    modules = {info.name for info in pkgutil.iter_modules(face.__path__)}
    assert set(face.__all__) & modules == set()


def test_a_name_means_one_thing_in_the_whole_package() -> None:
    things: dict[str, set[int]] = {}
    for topic, name in NAMES:
        things.setdefault(name, set()).add(id(getattr(FACES[topic], name)))
    assert [name for name, meanings in things.items() if len(meanings) > 1] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_importing_a_topic_costs_nothing(topic: str) -> None:
    code = f"import sys, perfmodel.{topic}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert not loaded & {"numpy", "scipy", "pandas", "numba", "sklearn", "matplotlib", "IPython"}


def test_showing_nothing_loads_nothing_for_showing() -> None:
    """All faces' names together leave out what is for notebooks and tables.

    But for prediction's: scikit-learn itself loads pandas.
    """
    topics = [topic for topic in TOPICS if topic != "prediction"]
    lines = [f"[getattr(perfmodel.{t}, n) for n in perfmodel.{t}.__all__]" for t in topics]
    code = "import sys\n" + "\n".join(f"import perfmodel.{t}" for t in topics)
    code += "\n" + "\n".join(lines) + "\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert not loaded & {"IPython", "pandas", "anywidget", "ipywidgets"}
