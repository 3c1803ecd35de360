"""What one notebook uses up, or limits for itself, is its own affair and is told as that."""

import resource
import signal

import pytest
from building import notebook
from limits import EXAMPLE, LIMITS, SECRET, needs_sandbox

from perfcourse.grading.engine import Settings
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import StoppedError, Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.kernel.isolate import Limits
from perfcourse.kernel.watch import MAPS, UNCOUNTED
from perfcourse.report.autograde_outcome import Marked, Status

pytestmark = needs_sandbox
PATIENT = Times(notebook=300, cell=300, call=300, whole=600)


@pytest.fixture(scope="module")
def brief():
    """A warm parent whose submissions have one second of CPU time."""
    with Warm(find_sandbox(), Limits(memory=LIMITS.memory, cpu=1), ["numpy"]) as parent:
        yield parent


@pytest.fixture(scope="module")
def as_a_user():
    """A warm parent whose submissions share one user id, as an ordinary user gets it."""
    from dataclasses import replace

    sandbox = replace(find_sandbox(), own_uids=False, subordinate=False)
    with Warm(sandbox, LIMITS, ["numpy"]) as parent:
        yield parent


LOOPS = {
    "a loop": "while True: pass",
    "a loop in a thread": (
        "import threading\ndef loop():\n    while True: pass\n"
        "thread = threading.Thread(target=loop); thread.start(); thread.join()"
    ),
    "a loop that takes signals": (
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    ),
    "a loop that blocks signals": (
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    ),
    "a limit raised first": (
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (9, 9))\nwhile True: pass"
    ),
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_the_limit_on_cpu_time_is_told_as_such(brief, loop):
    with brief.session(PATIENT) as session, pytest.raises(StoppedError, match="more CPU time"):
        session.run([loop], {})


def test_a_function_that_uses_up_its_cpu_time_is_told_so(brief):
    cells = "def speedup(serial, n):\n    while True: pass"
    handin = Handin("ada", "ada", notebook(cells), "ada.ipynb")
    graded = grade(handin, EXAMPLE, SECRET, lambda *how: brief.session(PATIENT, *how))
    assert not graded.broken
    assert "used more CPU time than is allowed" in graded.verdicts[0].message
    assert Marked("ada.ipynb", EXAMPLE, graded).fault is not Status.BROKEN


LOWER = {
    "setrlimit": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
    "setrlimit, soft": "resource.setrlimit(resource.RLIMIT_CPU, (1, 120))",
    "prlimit": "resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))",
    "of a child": (
        "import os\nif os.fork() == 0: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1));"
        " os._exit(0)\nos.wait()"
    ),
    "by the C library": (
        "import ctypes\nctypes.CDLL(None).setrlimit(0, (ctypes.c_ulong * 2)(1, 1))"
    ),
}


@pytest.mark.parametrize("lower", LOWER.values(), ids=LOWER)
def test_a_notebook_that_lowers_its_limit_is_graded(grade_cells, solved, lower):
    loop = "import time\nwhile time.process_time() < 1.5: pass"
    graded = grade_cells(*solved, f"import resource\n{lower}", loop, times=PATIENT)
    assert not graded.broken
    assert graded.earned == graded.points


OF_ITS_OWN = {
    "no more memory": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (0, 0))",
    "no more processes": "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (0, 0))",
    "no more files": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))",
    "no more on a disk": "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
    "a low recursion": "import sys\nsys.setrecursionlimit(60)",
    "the last to run": "import os\nos.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))",
    "all files closed but one": "import os\nos.closerange(0, 3); os.closerange(4, 999)",
    "timers of the processor": (
        "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0.01)\n"
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)\nsum(range(10**6))"
    ),
    "a child that would kill it": (
        "import os\nif os.fork() == 0:\n    for number in (9, 19, 24, 15): os.kill(1, number)\n"
        "    os._exit(0)\nos.wait()"
    ),
}
"""What a notebook may do to its own process, behind which its answers are asked for."""


@pytest.mark.parametrize("cell", OF_ITS_OWN.values(), ids=OF_ITS_OWN)
def test_what_a_notebook_denies_itself_costs_neither_points_nor_a_grade(grade_cells, solved, cell):
    graded = grade_cells(*solved, cell, times=PATIENT)
    assert (graded.problem, graded.earned) == ("", graded.points)


def test_a_child_that_uses_up_its_cpu_time_costs_nothing(brief, solved):
    cell = "import os\nif os.fork() == 0:\n    while True: pass\nended = os.wait()[1]"
    with brief.session(PATIENT) as session:
        assert session.run([cell], {}) == [None]
        assert session.get("ended")["value"] == signal.SIGKILL


def test_a_notebook_that_keeps_the_time_has_the_cpu_time_for_it():
    for whole in (1.0, 120.0, 7200.0):
        settings = Settings("bank.py", "s", times=Times(whole / 2, whole / 6, whole=whole))
        assert settings.limits_of_all.cpu >= max(120, 1.4 * whole)


TAKE = {
    "timers": (
        "import ctypes\n_c = ctypes.CDLL(None)\nn, _t = 0, ctypes.c_void_p()\n"
        "while n < {} and _c.timer_create(0, None, ctypes.byref(_t)) == 0: n += 1"
    ),
    "queued signals": (
        "import ctypes, os, signal\n_c = ctypes.CDLL(None)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])\nn = 0\n"
        "while n < {} and _c.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0: n += 1"
    ),
    "timers of children": (
        "import ctypes, os\n_c = ctypes.CDLL(None)\n_t = ctypes.c_void_p()\nn = 0\n"
        "for child in range(8):\n"
        "    read, write = os.pipe()\n"
        "    if os.fork() == 0:\n"
        "        m = 0\n"
        "        while m < {} and _c.timer_create(0, None, ctypes.byref(_t)) == 0: m += 1\n"
        "        os.write(write, str(m).encode())\n"
        "        import signal; signal.pause()\n"
        "    n += int(os.read(read, 20))"
    ),
}


@pytest.mark.parametrize("user", ["warm", "as_a_user"])
@pytest.mark.parametrize("take", TAKE.values(), ids=TAKE)
def test_timers_and_signals_of_one_are_not_those_of_all(request, user, take):
    parent = request.getfixturevalue(user)
    with parent.session(PATIENT) as mallory, parent.session(PATIENT) as ada:
        assert mallory.run([take.format(10**6)], {}) == [None]
        assert ada.run([take.format(1)], {}) == [None]
        assert ada.get("n")["value"] >= 1
        assert mallory.get("n")["value"] <= LIMITS.timers
    assert LIMITS.timers < resource.getrlimit(resource.RLIMIT_SIGPENDING)[0] / 50


OF_ALL = {
    "pages of pipes": (
        "import fcntl, os\nkeep = []\n"
        "try:\n"
        "    while len(keep) < {}:\n"
        "        keep.append(os.pipe())\n"
        "        try: fcntl.fcntl(keep[-1][1], 1031, 2**20)\n"
        "        except OSError: pass\n"
        "except OSError: pass\n"
        "n = len(keep), fcntl.fcntl(keep[-1][1], 1032)"
    ),
    "watched files": (
        "import os, select\nkeep = []\nread, write = os.pipe()\n"
        "try:\n"
        "    while len(keep) < {}:\n"
        "        keep.append(select.epoll()); keep[-1].register(read)\n"
        "except OSError: pass\n"
        "n = len(keep)"
    ),
    "terminals": (
        "import os\nkeep = []\n"
        "try:\n    while len(keep) < {}: keep.append(os.openpty())\n"
        "except OSError: pass\n"
        "n = len(keep)"
    ),
    "locks on a file": (
        "import fcntl\nn, file = 0, open('locked', 'w')\n"
        "while n < min({}, 20_000): fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * n); n += 1"
    ),
    "watches, keys, requests and queues": (
        "import ctypes, os\n_c, n = ctypes.CDLL(None), 0\n"
        "_context = ctypes.byref(ctypes.c_ulong(0))\n"
        "_calls = [lambda: _c.inotify_init(), lambda: _c.msgget(0, 0o1600), "
        "lambda: _c.shmget(0, 4096, 0o1600), lambda: _c.semget(0, 9, 0o1600)]\n"
        "if os.uname().machine == 'x86_64':\n"
        "    _calls += [lambda: _c.syscall(206, 128, _context), "
        "lambda: _c.syscall(248, b'user', b'%d' % n, b'x', 1, -2), "
        "lambda: _c.syscall(240, b'q%d' % n, 66, 384, None)]\n"
        "for _call in _calls:\n"
        "    for _ in range({}):\n"
        "        if _call() < 0: break\n"
        "        n += 1"
    ),
}
"""What the kernel counts for a user or for the whole machine: takes some, and n is how much."""


@pytest.mark.parametrize("user", ["warm", "as_a_user"])
@pytest.mark.parametrize("take", OF_ALL.values(), ids=OF_ALL)
def test_beside_one_that_takes_all_it_can_another_gets_what_it_gets_alone(request, user, take):
    parent = request.getfixturevalue(user)
    with parent.session(PATIENT) as session:
        assert session.run([take.format(1)], {}) == [None]
        alone = session.get("n")["value"]
    with parent.session(PATIENT) as mallory, parent.session(PATIENT) as ada:
        assert mallory.run([take.format(10**6)], {}) == [None]
        assert ada.run([take.format(1)], {}) == [None]
        assert ada.get("n")["value"] == alone


MODULES = {
    "by a magic": "%%writefile helper.py\nhalf = 0.5",
    "by open": "with open('helper.py', 'w') as file: file.write('half = 0.5')",
    "by the shell": "!echo half = 0.5 > helper.py",
    "a package": (
        "import os; os.mkdir('helper')\nopen('helper/__init__.py', 'w').write('from .a import *')\n"
        "open('helper/a.py', 'w').write('half = 0.5')"
    ),
    "in another folder": (
        "import os; os.mkdir('sub'); os.chdir('sub')\nopen('helper.py', 'w').write('half = 0.5')"
    ),
    "compiled": (
        "import py_compile\nopen('a.py', 'w').write('half = 0.5')\n"
        "py_compile.compile('a.py', 'helper.pyc')"
    ),
}


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_a_module_that_the_notebook_wrote_can_be_imported(warm, module):
    with warm.session(PATIENT) as session:
        assert session.run([module, "from helper import half"], {}) == [None, None]
        assert session.get("half")["value"] == 0.5


def test_a_module_of_the_notebook_takes_the_place_of_none_that_it_needs(warm, grade_cells, solved):
    write = "for name in ('numpy', 'json', 'perfcourse', 'perfmodel', 'signal', 'select'):\n"
    graded = grade_cells(write + "    open(f'{name}.py', 'w').write('1 / 0')", *solved)
    assert (graded.problem, graded.earned) == ("", graded.points)


START = {
    "spawn": "ctx = mp.get_context('spawn')",
    "forkserver": "ctx = mp.get_context('forkserver')",
    "fork": "ctx = mp.get_context('fork')",
}
USE = {
    "a pool": "with ctx.Pool(3) as pool: out = pool.map(work.twice, range(20))",
    "an executor": (
        "from concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(2, mp_context=ctx) as pool: out = list(pool.map(work.twice, "
        "range(20)))"
    ),
    "a queue": (
        "queue = ctx.Queue()\nall_ = [ctx.Process(target=work.put, args=(queue, n)) "
        "for n in range(20)[:4]]\n[p.start() for p in all_]\n"
        "out = sorted(queue.get() for p in all_) + [2 * n for n in range(4, 20)]\n"
        "[p.join() for p in all_]"
    ),
}


@pytest.mark.parametrize("start", START.values(), ids=START)
@pytest.mark.parametrize("use", USE.values(), ids=USE)
def test_processes_can_be_started_in_every_way(warm, start, use):
    write = "def twice(x): return 2 * x\ndef put(queue, n): queue.put(2 * n)\n"
    cells = [
        f"open('work.py', 'w').write({write!r})",
        f"import multiprocessing as mp, work\n{start}",
    ]
    with warm.session(PATIENT) as session:
        assert session.run([*cells, use], {}) == [None] * 3
        assert session.get("out")["value"] == [2 * n for n in range(20)]


@pytest.fixture(scope="module")
def shipped():
    """A warm parent with the limits that graders use, not the tests' smaller memory."""
    with Warm(find_sandbox(), Limits()) as parent:
        yield parent


MANY = {
    "threads": (
        "import threading\n"
        "def many(n):\n"
        "    barrier = threading.Barrier(n + 1)\n"
        "    threads = [threading.Thread(target=barrier.wait) for _ in range(n)]\n"
        "    for thread in threads: thread.start()\n"
        "    barrier.wait()\n"
        "    for thread in threads: thread.join()\n"
        "    return n"
    ),
    "processes": (
        "import os, signal, time\n"
        "def many(n):\n"
        "    started = []\n"
        "    for _ in range(n):\n"
        "        started.append(os.fork())\n"
        "        if started[-1] == 0: signal.pause()\n"
        "    time.sleep(0.5)  # ten looks of the watch\n"
        "    for pid in started: os.kill(pid, signal.SIGKILL)\n"
        "    return len([os.wait() for _ in started])"
    ),
    "files": (
        "def many(n):\n"
        "    files = [open(f'{k}.txt', 'w') for k in range(4 * n)]\n"
        "    for file in files: file.close()\n"
        "    return len(files) // 4"
    ),
    "megabytes in a file": (
        "import numpy as np\n"
        "def many(n):\n"
        "    np.save('large.npy', np.zeros(n * 10**6 // 8))\n"
        "    return np.load('large.npy', mmap_mode='r').nbytes // 10**6"
    ),
}


@pytest.mark.parametrize("cell", MANY.values(), ids=MANY)
def test_the_limits_that_graders_use_leave_room_for_a_hundred(shipped, cell):
    with shipped.session(PATIENT) as session:
        assert session.run([cell], {}) == [None]
        assert session.call("many", [100])["value"] == 100


def test_the_maps_of_many_processes_count_as_memory(warm):
    """What the kernel keeps of them can't be seen, so that beyond a few each counts as full."""
    with warm.session(PATIENT) as session:
        session.run([MANY["processes"]], {})
        assert session.call("many", [UNCOUNTED])["value"] == UNCOUNTED
        with pytest.raises(StoppedError, match="more memory than is allowed"):
            session.call("many", [UNCOUNTED + LIMITS.held // MAPS + 1])
