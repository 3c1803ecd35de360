"""What the tests of grading share: the example bank, its limits, and whether there is a sandbox."""

from pathlib import Path

import pytest

from perfcourse.bank.loader import load
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.kernel.isolate import Limits

HERE = Path(__file__).parent
EXAMPLE = load(HERE / "example.py")
TIMES = Times(notebook=6, cell=2, call=0.5, whole=12)
LIMITS = Limits(memory=640 * 2**20)
"""Above what the warm parent itself holds, of which each process of a submission counts a part."""
SECRET = "a secret of the tests"

needs_sandbox = pytest.mark.skipif(
    not find_sandbox().bwrap, reason=f"no sandbox here: {find_sandbox().problem}"
)
