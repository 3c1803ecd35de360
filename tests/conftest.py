"""Shared settings of the tests: the same random examples in every run, and third-party data.

What may be absent on a reader's machine skips the tests that need it, or fails them where
PERFCOURSE_REQUIRE names it: see `required`.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import published
import pytest
import rounding
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from required import stop_without_jax

rounding.install()

# Otherwise examples hang on which modules other tests have imported: their constants are tried.
providers.is_local_module_file = lambda path: False

settings.register_profile("course", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("course")


def pytest_configure() -> None:
    """Look for what must be there before any test runs."""
    stop_without_jax()


@pytest.fixture(scope="session")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Return a function that finds a third-party file in a folder, never in the network.

    Looks where `published.folders` says, then in `tests/copies`. Tests that need a file which is
    in none of them are skipped, or fail where `data` is required.
    """
    return partial(published.find_or_skip, unpacked=tmp_path_factory.mktemp("published"))
