"""A bank with something to build may run a notebook twice: one run decides each question."""

import pytest
from building import notebook
from limits import HERE, LIMITS, SECRET, TIMES, needs_sandbox

from perfcourse.bank import Bank, function, number, one_of, true_false
from perfcourse.grading.engine import Grader, Settings
from perfcourse.grading.preload import below
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.judge.functions import PACKAGE_ONLY


def amdahl(serial, n):
    return 1 / (serial + (1 - serial) / n)


GIVEN = {"a": 2.0, "b": 3.0}
"""The same for everybody and both questions, so that less and more can't both be right."""


def serial_and_n(rng):
    return {"serial": rng.uniform(0.1, 0.6), "n": int(rng.integers(3, 64))}


BANK = Bank(
    "guesses",
    "Two guesses",
    [
        function(
            "q1",
            "Amdahl",
            answer="amdahl",
            reference=amdahl,
            builds="perfmodel.scaling.amdahl_speedup",
            inputs=serial_and_n,
        ),
        true_false("less", "Less?", reference=lambda a, b: a < b, hint="No.", inputs=GIVEN),
        true_false("more", "More?", reference=lambda a, b: a > b, hint="No.", inputs=GIVEN),
        one_of("side", "Which?", choices=["left", "right"], reference="left"),
        one_of("other", "Which not?", choices=["left", "right"], reference="right"),
        number("one", "1", reference=1),
        number("two", "2", reference=2, points=3),
    ],
)
PACKAGE = "from perfmodel.scaling import amdahl_speedup"
OWN = "def amdahl(serial, n): return 1 / (serial + (1 - serial) / n)"
TELL_APART = {
    "a call": f"try:\n    {PACKAGE}\n    amdahl_speedup(0.5, 2)\n    first = False\n"
    "except Exception: first = True",
    "a call and an error": f"first = True\n{PACKAGE}\namdahl_speedup(0.5, 2)\nfirst = False",
    "the source": "import os\nfirst = not os.path.exists('/course/perfmodel/__init__.py')\n"
    "if first: raise OSError",
    "a module": "try:\n    import perfmodel.scaling.amdahl\n    first = False\n"
    "except ImportError: first = True",
    "a mark": f"{PACKAGE}\nfirst = 'withheld' in str(amdahl_speedup.__code__.co_consts)\n"
    "if first: amdahl_speedup(0.5, 2)",
    "what finds modules": (
        "import sys\nfirst = any(getattr(f, '__name__', '') == 'Missed' for f in sys.meta_path)\n"
        "if first: raise ImportError"
    ),
    "what was asked": (
        "import sys\nframe = sys._getframe()\n"
        "while frame and 'request' not in frame.f_locals: frame = frame.f_back\n"
        "first = bool(frame.f_locals['request']['withheld'])\nif first: raise OSError"
    ),
    "a process": (
        "import subprocess, sys\ncode = 'import sys; sys.path.insert(0, \"/course\"); '\n"
        "code += 'import perfmodel.scaling'\n"
        "first = bool(subprocess.run([sys.executable, '-c', code]).returncode)\n"
        "if first: raise OSError"
    ),
    "a crash": "import os\nfirst = not os.path.exists('/course/perfmodel/__init__.py')\n"
    "def one_more():\n    if first: os._exit(1)\none_more()",
}
"""How a notebook can find out which run it is in, and bring about the second one."""
GUESSES = (
    "less = more = bool(first)\nside = other = 'left' if first else 'right'\n"
    "one = two = 1 if first else 2"
)


@pytest.mark.parametrize("tell_apart", TELL_APART.values(), ids=TELL_APART)
@pytest.mark.parametrize("turned", [False, True])
def test_two_guesses_count_as_one(grade_cells, tell_apart, turned):
    guesses = GUESSES.replace("first", "(not first)") if turned else GUESSES
    graded = grade_cells(tell_apart, f"first = globals().get('first', True)\n{guesses}", bank=BANK)
    earned = {verdict.question: verdict.earned for verdict in graded.verdicts}
    assert earned["less"] + earned["more"] <= 1
    assert earned["side"] + earned["other"] <= 1
    assert (earned["one"] > 0) + (earned["two"] > 0) <= 1
    assert earned["q1"] == 0


def test_what_is_built_is_decided_without_the_package_and_the_rest_with_it(grade_cells):
    uses = f"{PACKAGE}\none = round(amdahl_speedup(1, 2)); two = round(amdahl_speedup(0, 2))"
    rest = "p = check.parameters('less'); less = p['a'] < p['b']; more = p['a'] > p['b']"
    cells = (
        "from perfcourse import checker\ncheck = checker('guesses')",
        OWN,
        uses,
        rest,
        "side = 'left'; other = 'right'",
    )
    graded = grade_cells(*cells, bank=BANK)
    assert (graded.problem, graded.errors) == ("", ())
    assert graded.earned == graded.points


@pytest.mark.parametrize(
    "cells",
    [
        (f"{PACKAGE}\ndef amdahl(serial, n): return amdahl_speedup(serial, n)",),
        (f"{PACKAGE}\namdahl = amdahl_speedup",),
        (f"{PACKAGE} as amdahl",),
        (f"{PACKAGE}\namdahl_speedup(0.5, 2)\n{OWN}",),
    ],
)
def test_what_calls_the_package_earns_nothing_for_building(grade_cells, cells):
    verdict = grade_cells(*cells, bank=BANK).verdicts[0]
    assert (verdict.earned, verdict.message) == (0, PACKAGE_ONLY)


SLIPS = {
    "an error": "1 / 0",
    "an import of something else": "import no_such_library",
    "a crash": "import os; os._exit(1)",
    "a process that misses the package": (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import perfmodel'], "
        "check=True, env={'PYTHONPATH': '/course'})"
    ),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_cell_that_fails_costs_nothing_else(grade_cells, slip):
    cells = (OWN, slip, f"{PACKAGE}\none = round(amdahl_speedup(1, 2))\ntwo = 2 * one")
    earned = {v.question: v.earned for v in grade_cells(*cells, bank=BANK).verdicts}
    assert (earned["q1"], earned["one"], earned["two"]) == (1, 1, 3)


@pytest.fixture(scope="module")
def lean():
    """A warm parent that has loaded what the bank withholds and nothing else, as graders' may."""
    topics = ["perfmodel.scaling"]
    with Warm(find_sandbox(), LIMITS, below(topics), None, topics) as parent:
        yield parent


IMPORTS = {
    "in brackets": "from perfmodel.labs.scaling import (\n    amdahl_on_your_machine,\n)",
    "of a topic in brackets": "from perfmodel.queueing import (\n    mm1,\n    mmc,\n)",
    "continued": "import numpy, \\\n    perfmodel.queueing",
    "with tabs": "from\tperfmodel.queueing\timport\tmm1",
    "by name": "import importlib\nq = importlib.import_module('perfmodel.' + 'queueing')",
    "of the same topic": "q = __import__('perfmodel.scaling.failures')",
}


@pytest.fixture
def grade_lean(lean):
    """Return a function that grades cells as a submission to the bank."""

    def of(*cells):
        handin = Handin("ada", "ada", notebook(*cells), "ada.ipynb")
        return grade(handin, BANK, SECRET, lambda *how: lean.session(TIMES, *how))

    return of


@needs_sandbox
@pytest.mark.parametrize("how", IMPORTS.values(), ids=IMPORTS)
def test_who_imports_from_the_package_beside_an_own_function_has_built_it(grade_lean, how):
    """Whether it was loaded in advance or not: only the source of what is built is hidden."""
    assert grade_lean(f"{how}\n{OWN}").verdicts[0].earned == 1


WITHOUT_BUILDING = {
    "a process": (
        "import subprocess, sys\n"
        "code = 'import sys; sys.path.insert(0, \"/course\"); from perfmodel.scaling import '\n"
        "code += 'amdahl_speedup as f; print(float(f({}, {})))'\n"
        "def amdahl(serial, n):\n"
        "    words = [sys.executable, '-c', code.format(serial, n)]\n"
        "    return float(subprocess.run(words, capture_output=True).stdout)"
    ),
    "a fresh import": (
        "import sys\nfor name in [n for n in sys.modules if n.startswith('perfmodel')]:\n"
        "    del sys.modules[name]\n"
        "from perfmodel.scaling.laws import amdahl_speedup as amdahl"
    ),
    "its file": (
        "import pathlib\nfor path in pathlib.Path('/course/perfmodel').rglob('laws.*'):\n"
        "    if path.suffix == '.py': exec(path.read_text())\n"
        "amdahl = amdahl_speedup"
    ),
    "what another topic has of it": (
        "from perfmodel.drawings import amdahl_bars\nimport perfmodel.scaling as m\n"
        "amdahl = lambda serial, n: m.amdahl_speedup(serial, n)"
    ),
}


@needs_sandbox
@pytest.mark.parametrize("cell", WITHOUT_BUILDING.values(), ids=WITHOUT_BUILDING)
def test_what_is_not_hidden_leads_to_nothing_that_is_to_be_built(grade_lean, cell):
    assert grade_lean(cell).verdicts[0].earned == 0


def test_a_grader_hides_the_source_of_what_is_built_and_loads_what_is_beside_it_first(monkeypatch):
    class AskedError(Exception):
        """Ends the start of a grader, with what the parent was to be."""

    def warm(sandbox, limits, preload, files, hidden, at_once):
        raise AskedError(preload, hidden)

    monkeypatch.setattr("perfcourse.grading.engine.Warm", warm)
    solutions = HERE.parents[1] / "solutions"
    with pytest.raises(AskedError) as asked:
        Grader(Settings(str(solutions / "scaling.py"), SECRET, unsafe=True, preload=()))
    loaded, hidden = asked.value.args
    assert hidden == ["perfmodel.scaling"]
    assert set(loaded) == {*hidden, *below(hidden)}
