"""Shared settings of the tests: the same random examples in every run, and third-party data."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from perfmodel import data

settings.register_profile("course", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("course")


@pytest.fixture(scope="session")
def third_party() -> Callable[[str, str], Path]:
    """Return a function that finds a third-party file in a folder, never in the network.

    The folder is shared/data beside the checkout, if there is one. Tests that need a file which
    is not there are skipped.
    """
    folder = Path(__file__).parents[2] / "shared" / "data"

    def find(dataset: str, file: str) -> Path:
        if not (folder / dataset / file).is_file():
            pytest.skip(f"third-party file {dataset}/{file} is not beside the checkout")
        return data.fetch(dataset, file, folder)

    return find
