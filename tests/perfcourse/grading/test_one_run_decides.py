"""A bank with something to build may run a notebook twice: one run decides each question."""

import pytest

from perfcourse.bank import Bank, function, number, one_of, true_false
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
