"""The map from models to labs is what the imports say."""

import json

import pytest

from perfcourse.book import model_map, sources

PROJECT = sources.root()
USED = model_map.labs(PROJECT)


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("from perfmodel.queueing import mg1", {"perfmodel.queueing.station.mg1"}),
        ("import perfmodel.scaling.laws as laws", {"perfmodel.scaling.laws"}),
        ("from perfmodel.scaling import laws", {"perfmodel.scaling.laws"}),
        ("from perfmodel.scaling.laws import amdahl", {"perfmodel.scaling.laws"}),
        (
            "from perfmodel import scaling\nscaling.amdahl_speedup(0.1, 2)",
            {"perfmodel.scaling.laws"},
        ),
        ("from perfmodel import scaling", set()),
        ("import numpy as np\nnp.mean([1])", set()),
    ],
)
def test_a_name_leads_to_the_module_that_it_comes_from(source, modules):
    assert model_map.imported(source) == modules


def test_labs_of_other_labs_models_are_followed_but_general_modules_are_not(tmp_path):
    page = "notebooks/queueing/none"
    (tmp_path / "notebooks/queueing").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(f"format: jb-book\nroot: {page}\n")
    code = "%matplotlib inline\nfrom perfmodel.labs.queueing.bottleneck.exam_case import exam"
    cells = [{"cell_type": "code", "source": [code]}, {"cell_type": "markdown", "source": ["x"]}]
    (tmp_path / f"{page}.ipynb").write_text(json.dumps({"cells": cells}))
    assert model_map.labs(tmp_path) == {page: frozenset({"queueing/network"})}


def test_known_labs_use_what_they_are_about():
    assert "queueing/network" in USED["notebooks/queueing/bottleneck"]
    assert "scaling/usl" in USED["notebooks/scaling/universal-scalability"]
    assert "offloading/block_schedules" in USED["notebooks/offloading/flexgen"]
    assert len(USED) == sum(p.startswith("notebooks/") for p in sources.pages(PROJECT))


def test_every_model_that_a_lab_uses_is_in_one_family():
    for model in {model for models in USED.values() for model in models}:
        families = [one.name for one in model_map.FAMILIES if one.holds(model)]
        assert len(families) == 1, model


def test_counts_agree_with_each_other():
    uses = model_map.uses(PROJECT)
    assert sum(map(len, uses.values())) == sum(map(len, USED.values()))
    sizes = [len(pages) for pages in uses.values()]
    assert sizes == sorted(sizes, reverse=True)
    carried = model_map.carried(PROJECT)
    assert set(carried["simulation of queues"]) == set(uses["queueing/simulation"])
    assert set(carried["serving"]) >= set(uses["serving/batching"])
