"""Hostile answers to questions for words, plots and parts, and around data files."""

import kinds
import pytest
from building import notebook
from drawing import DRAWING
from limits import LIMITS, SECRET, needs_sandbox

from perfcourse.gradebook.grade import grade_of
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.report import pages

pytestmark = needs_sandbox
TIMES = Times(notebook=6, cell=3, call=1, whole=15)
HONEST = [
    "from perfcourse import checker\ncheck = checker('kinds')",
    "named = 'Memory-bound'\n"
    "p = check.parameters('larger')\nlarger = max(p, key=p.get)\n"
    "p = check.parameters('stable')\nstable = p['arrivals'] < p['service']",
    "import matplotlib.pyplot as plt\nimport numpy as np\n"
    "n = np.array([1, 2, 4, 8])\n"
    "plt.semilogx(n, check.parameters('drawn')['total'] / n, label='measured')\n"
    "plt.xlabel('processors'); plt.ylabel('time [s]'); plt.legend()\ndrawn = plt.gcf()",
    "x = check.parameters('several')['x']\nseveral = (2 * x, [1, x, x * x], 'yes')",
    "mean = np.loadtxt('kinds.csv').mean()",
]


@pytest.fixture(scope="module")
def parent():
    files = {file.name: file.path(hidden=True) for file in kinds.bank.files}
    with Warm(find_sandbox(), LIMITS, ["numpy", "matplotlib.pyplot"], files) as warm:
        yield warm


def graded(parent, cells, who="mallory"):
    handin = Handin(who, who, notebook(*cells), f"{who}.ipynb")
    return grade(handin, kinds.bank, SECRET, lambda *how: parent.session(TIMES, *how))


def test_honest_answers_earn_everything(parent):
    result = graded(parent, HONEST, "honest")
    assert result.earned == result.points, result


def test_feedback_page_tells_each_part_and_no_tolerance_of_words(parent):
    cells = [*HONEST, "plt.xlabel('')", "several = (2 * x, [1, x, x], 'yes')"]
    page = pages.feedback(grade_of(graded(parent, cells)), kinds.bank)
    assert "Label the x axis: processors." in page
    assert "labels: 0 of" in page
    assert "powers: None of the usual mistakes leads to this." in page
    assert page.count("Numbers count within") == 3, "of the plot, the parts and the mean"


@pytest.mark.parametrize("name", DRAWING)
def test_attack_earns_nothing_and_harms_nobody(parent, name):
    result = graded(parent, DRAWING[name])
    assert result.earned == 0, result.verdicts
    assert not result.broken
    assert not any(verdict.failed for verdict in result.verdicts), result.verdicts
    honest = graded(parent, HONEST, "honest")
    assert honest.earned == honest.points
