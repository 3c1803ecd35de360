"""A crash costs the question where it happened, and nothing else."""

import pytest

from perfcourse.bank import Bank, function
from perfcourse.isolation.notebook import TOO_LONG, TOO_OFTEN
from perfcourse.isolation.session import Times

TIMES = Times(notebook=20, cell=1.5, call=1.5, whole=60)
"""Enough for honest cells on a busy machine; loops take all of it."""
NAMES = [f"times{factor}" for factor in range(1, 7)]


def times(factor):
    return lambda x: factor * x


BANK = Bank(
    "crashes",
    "Six functions of five points",
    [
        function(
            f"q{factor}",
            f"{factor} times",
            answer=f"times{factor}",
            reference=times(factor),
            inputs=lambda rng: {"x": rng.uniform(1, 2)},
            points=5,
        )
        for factor in range(1, 7)
    ],
)
CELLS = [f"def {name}(x):\n    return {name[5:]} * x" for name in NAMES]


@pytest.fixture
def earned(grade_cells):
    def of(*cells, **how):
        graded = grade_cells(*cells, bank=BANK, times=how.pop("times", TIMES), **how)
        assert not graded.broken
        return graded.earned, graded

    return of


KILLING = {
    "ends its process": "import os; os._exit(0)",
    "is killed": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\nos.abort()",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "runaway recursion": (
        "import sys; sys.setrecursionlimit(10**9)\n"
        "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().x"
    ),
    "memory bomb": "bomb = []\nwhile True: bomb.append(bytearray(10**7))",
    "memory bomb of processes": (
        "import os, time\n"
        "for _ in range(20):\n"
        "    if os.fork() == 0:\n        x = b'x' * 10**8; time.sleep(60)\n"
        "time.sleep(0.4)"
    ),
    "endless loop": "while True: pass",
    "endless loop that swallows everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "closes the channel": "import os; os.closerange(0, 1024)",
    "talks nonsense": "import os; os.write(3, b'x' * 1000)",
}


@pytest.mark.parametrize("crash", KILLING.values(), ids=KILLING)
@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_cell_that_ends_the_process_costs_nothing_else(earned, crash, place):
    points, graded = earned(*CELLS[:place], crash, *CELLS[place:])
    assert points == 30, graded
    assert graded.errors[0][0] == place + 1


@pytest.mark.parametrize("crash", KILLING.values(), ids=KILLING)
@pytest.mark.parametrize("place", [0, 2, 5])
def test_a_function_that_ends_the_process_costs_its_question(earned, crash, place):
    body = crash.replace("\n", "\n    ")
    cells = [*CELLS[:place], f"def {NAMES[place]}(x):\n    {body}", *CELLS[place + 1 :]]
    points, graded = earned(*cells)
    assert points == 25, graded
    assert graded.verdicts[place].earned == 0


def test_a_cell_that_defines_and_crashes_costs_what_it_defines(earned):
    points, graded = earned(*CELLS[:5], CELLS[5] + "\nimport os; os._exit(1)")
    assert points == 25
    assert graded.problem == "Cell 6 ended its own process; the rest was run without it."
    assert graded.verdicts[5].message.startswith("The notebook has nothing called times6.")


def test_every_function_may_crash(earned):
    cells = [cell.replace("return", "import os; os._exit(0); return") for cell in CELLS]
    points, graded = earned(*cells)
    assert points == 0
    told = [verdict.message.partition(".")[0] for verdict in graded.verdicts]
    assert told == [f"{name} ended its own process" for name in NAMES]
    assert graded.problem == ""


def test_a_notebook_of_crashes_ends(earned):
    points, graded = earned(*["import os; os._exit(0)"] * 40, *CELLS)
    assert points == 0
    assert graded.problem.endswith(TOO_OFTEN)


def test_all_the_runs_together_have_the_time_of_one(earned):
    slow = "import time, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [14])\ntime.sleep(60)"
    points, graded = earned(*[slow] * 9, *CELLS, times=Times(6, 0.5, 0.3, whole=4))
    assert points == 0
    assert graded.problem.endswith(TOO_LONG)
    assert graded.seconds < 12


def test_slow_cells_together_leave_those_that_ran(earned):
    cells = [*CELLS, *["import time; time.sleep(0.5)"] * 5, "late = 1"]
    points, graded = earned(*cells, times=Times(1.2, 1, 0.5, whole=20))
    assert points == 30
    assert graded.errors[-1][2] == "the cells before it took all the time of the notebook"


def test_a_crash_carries_nothing_into_the_next_process(earned):
    """A function with hidden inputs leaves them wherever it can and ends its process."""
    leave = (
        "import os\n"
        "def times1(x):\n"
        "    for folder in ('/tmp', os.path.expanduser('~'), '/dev/shm', '.'):\n"
        "        open(folder + '/left', 'w').write(str(x))\n"
        "    os._exit(0)"
    )
    look = (
        "import os\n"
        "loot = [f for f in ('/tmp', os.path.expanduser('~'), '/dev/shm', '.')\n"
        "        if os.path.exists(f + '/left')]\n"
        "if loot: raise ValueError(str(loot))"
    )
    points, graded = earned(look, leave, *CELLS[1:])
    assert points == 25
    assert graded.errors == ()


LEAVING = {
    "thread": "import os, threading\nthreading.Timer(0.3, os._exit, [1]).start()",
    "thread that crashes": (
        "import ctypes, threading\nthreading.Timer(0.3, ctypes.string_at, [0]).start()"
    ),
    "process that takes all memory": (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    time.sleep(0.3)\n"
        "    for _ in range(20):\n"
        "        if os.fork() == 0: x = b'x' * 10**8; time.sleep(60)\n"
        "    time.sleep(60)"
    ),
}
WAITING = "import time; time.sleep(12 if 'left' in globals() else 0)"
"""Lasts until what was left ends the process, however busy the machine; without it, not at all."""
PATIENT = Times(notebook=30, cell=15, call=5, whole=90)


@pytest.mark.parametrize("leave", LEAVING.values(), ids=LEAVING)
@pytest.mark.parametrize("place", [0, 3])
def test_what_a_cell_leaves_behind_is_laid_at_its_own_door(earned, leave, place):
    """The process ends while a later cell runs, which has its own question and keeps it."""
    leave, later = f"{leave}\nleft = 1", f"{CELLS[-1]}\n{WAITING}"
    points, graded = earned(*CELLS[:place], leave, *CELLS[place:-1], later, times=PATIENT)
    assert points == 30, graded
    assert [error[0] for error in graded.errors] == [place + 1]
    assert "left something running that ended the process" in graded.problem


def test_what_is_left_behind_may_end_the_process_during_a_call(earned):
    slow = [cell.replace("return", "import time; time.sleep(0.05); return") for cell in CELLS]
    points, graded = earned(LEAVING["thread"], *slow, times=PATIENT)
    assert points == 30, graded
    assert [error[0] for error in graded.errors] == [1]


HARMLESS = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"


def test_who_leaves_something_harmless_is_not_to_blame(earned):
    points, graded = earned(
        HARMLESS, f"{CELLS[0]}\n{HARMLESS}", *CELLS[1:], "import os; os._exit(1)"
    )
    assert points == 30, graded
    assert [error[0] for error in graded.errors] == [8]


def test_a_function_that_crashes_does_not_blame_what_its_cell_left(earned):
    crash = CELLS[0].replace("return", "import os; os._exit(1); return")
    points, graded = earned(HARMLESS, f"{crash}\n{HARMLESS}\nother = 1", *CELLS[1:])
    assert points == 25, graded
    assert graded.problem == ""


def test_a_crash_that_needs_the_suspect_is_its_own(earned):
    """Without the cell that left something the other one fails too, for another reason."""
    points, graded = earned(
        f"{CELLS[0]}\nimport os\ndef end(): os._exit(1)\n{HARMLESS}", "end()", *CELLS[1:]
    )
    assert points == 30, graded
    assert [error[0] for error in graded.errors] == [2]


def test_announced_lengths_are_not_repeated(earned):
    """What a function says on the channel about a hidden input is not on the page."""
    cell = (
        "import os, struct\n"
        "def times1(x): os.write(3, struct.pack('>II', 2**31 + int(x * 1e6), 7)); return 1"
    )
    points, graded = earned(cell, *CELLS[1:])
    assert points == 25
    said = graded.verdicts[0].message
    assert said == (
        "times1 sent what is not an answer and was stopped. "
        "Try it with other inputs in your notebook."
    )
