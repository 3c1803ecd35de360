"""What the tests of this topic share."""

import pytest

from perfmodel.labs.prediction.ncpp import perfcast


@pytest.fixture(scope="session")
def sample_folder(third_party):
    """The folder of third-party data, if the sample of PerfCastDB is in it."""
    for file in perfcast.FILES:
        path = third_party("ncpp", file)
    return path.parents[1]


@pytest.fixture(scope="session")
def sample_scores(sample_folder):
    """The rows of that sample."""
    return perfcast.scores(sample_folder)
