"""What the tests of this topic share."""

import pytest

from perfmodel.prediction import perfcast_data


@pytest.fixture(scope="session")
def sample_folder(third_party):
    """The folder of third-party data, if the sample of PerfCastDB is in it."""
    for file in perfcast_data.FILES:
        path = third_party("ncpp", file)
    return path.parents[1]


@pytest.fixture(scope="session")
def sample_scores(sample_folder):
    """The rows of that sample."""
    return perfcast_data.scores(sample_folder)
