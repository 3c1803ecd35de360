"""Every data set of the contest with one drawing of each round, made once a worker."""

from functools import cache

import pytest

from perfmodel.labs.prediction.shootout import leaderboards


@cache
def made(name):
    return leaderboards.CHALLENGES[name](seeds=[0, 1])


@pytest.fixture(params=sorted(leaderboards.CHALLENGES))
def name(request, third_party, monkeypatch):
    if request.param == "v100":
        folder = third_party("apex", "v100_gemm.csv").parents[1]
        monkeypatch.setenv("PERFMODEL_DATA_DIR", str(folder))
    return request.param


@pytest.fixture
def challenge(name):
    return made(name)
