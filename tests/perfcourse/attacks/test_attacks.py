"""Hostile notebooks: no marks for them, no harm to anybody else.

Every attack runs as one student's submission; afterwards an honest student's submission must
still earn full marks, nothing may have changed outside, and no process may be left.
"""

import os
import shutil
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from breaking import BREAKING
from building import notebook
from forging import FORGING, PACKAGE_CALLS
from limits import EXAMPLE
from looting import LOOTING

from perfcourse.bank import Bank, function
from perfcourse.bank.loader import load
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import WRITABLE
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox, trouble
from perfcourse.isolation.warm import Warm
from perfcourse.kernel.isolate import Limits

pytestmark = pytest.mark.skipif(not find_sandbox().bwrap, reason="no sandbox on this machine")

LIMITS = Limits(memory=400 * 2**20)
HASTY = Times(notebook=2.5, cell=1, call=0.3, whole=6)
BRIEF = Times(notebook=1.5, cell=0.6, call=0.3, whole=4)
"""For those that keep the processor busy until they are stopped."""
PATIENT = Times(notebook=30, cell=30, call=3, whole=60)
"""For those that something else must stop first."""


def test_there_are_enough_attacks():
    assert len(FORGING) + len(PACKAGE_CALLS) + len(BREAKING) + len(LOOTING) >= 120


@pytest.fixture
def unharmed(warm, grade_cells, solved, tmp_path_factory):
    """Check after the attack that all is as it was."""
    before = processes_below(warm.process.pid)
    canary = tmp_path_factory.mktemp("canary")
    canary.chmod(0o777)
    (canary / "file").write_text("alive")
    (canary / "file").chmod(0o666)
    yield
    honest = grade_cells(*solved, student="honest")
    assert honest.earned == honest.points
    assert (canary / "file").read_text() == "alive"
    assert sorted(os.listdir(canary)) == ["file"]
    for folder in ("/tmp", "/dev/shm", Path.home(), Path.cwd()):
        assert not set(os.listdir(folder)) & {"boom", "left", "message", "0", "1", "secret.txt"}
    assert processes_below(warm.process.pid) == before


def processes_below(root):
    """Return all processes that descend from one, wherever they tried to hide."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path(f"/proc/{name}/stat").read_text()
        except OSError:
            continue
        parents[int(name)] = int(stat.rsplit(")", 1)[1].split()[1])
    found = {root}
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return found


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("cells", FORGING.values(), ids=FORGING)
def test_forgery_earns_nothing(grade_cells, cells):
    graded = grade_cells(*cells, student="mallory", times=HASTY)
    assert graded.earned == 0, graded.verdicts
    assert not graded.broken


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("cells", BREAKING.values(), ids=BREAKING)
def test_breakage_stays_inside(grade_cells, cells):
    graded = grade_cells(*cells, student="mallory", times=BRIEF)
    assert graded.earned == 0
    assert not graded.broken


@pytest.fixture(scope="module")
def port():
    """Listen where a notebook could try to connect."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as local:
        number = tcp.getsockname()[1]
        local.bind(f"\0perfcourse-canary-{number}")
        local.listen()
        yield number


@pytest.fixture(scope="module", autouse=True)
def canary_in_the_environment():
    os.environ["COURSE_TOKEN"] = "canary"
    yield
    del os.environ["COURSE_TOKEN"]


@pytest.fixture(scope="module")
def as_a_user(warm):
    """Return a warm parent as somebody who isn't root gets it."""
    sandbox = replace(find_sandbox(), own_uids=False, subordinate=False)
    if not sandbox.counted and not trouble(replace(sandbox, nobody=True)):
        sandbox = replace(sandbox, nobody=True)
    if sandbox == find_sandbox():
        yield warm
        return
    with Warm(sandbox, LIMITS, ["numpy"]) as parent:
        yield parent


MOUNTED = {
    Path(prefix).relative_to(folder).parts[0]
    for prefix in (sys.prefix, sys.base_prefix)
    for folder in WRITABLE
    if Path(prefix).is_relative_to(folder)
}


def attack(port, name):
    """Return the cells of a looting notebook, made for this machine."""
    known = {"PORT": str(port), "*MOUNTED": "".join(f"{folder!r}, " for folder in MOUNTED)}
    cells = LOOTING[name]
    for word, text in known.items():
        cells = [cell.replace(word, text) for cell in cells]
    return cells


def loot(warm, port, name):
    cells = attack(port, name)
    with warm.session(Times(notebook=60, cell=50, whole=90)) as session:
        assert session.run(cells, {}) == [None] * len(cells)
        return session.get("loot")["value"]


@pytest.mark.parametrize("name", LOOTING)
def test_looting_finds_nothing(warm, port, name):
    for _ in range(2 if "another submission" in name else 1):
        assert loot(warm, port, name) == []


@pytest.mark.parametrize("name", LOOTING)
def test_looting_finds_nothing_in_a_users_sandbox(as_a_user, port, name):
    for _ in range(2 if "another submission" in name else 1):
        assert loot(as_a_user, port, name) == []


def test_memory_of_all_processes_together_is_limited(grade_cells):
    graded = grade_cells(*BREAKING["memory bomb of many processes"], times=PATIENT)
    assert graded.problem.startswith("Cell 1 used more memory than is allowed and was stopped")


@pytest.fixture(scope="module")
def building():
    pytest.importorskip("perfmodel.scaling")
    from perfmodel.scaling import amdahl_speedup

    question = function(
        "q1",
        "Build it",
        answer="amdahl",
        reference=amdahl_speedup,
        builds="perfmodel.scaling.amdahl_speedup",
        inputs=lambda rng: {"s": rng.uniform(0.1, 0.5), "n": int(rng.integers(2, 9))},
    )
    return Bank("building", "Building", [question])


@pytest.mark.parametrize("cells", PACKAGE_CALLS.values(), ids=PACKAGE_CALLS)
def test_calling_the_package_is_not_building(grade_cells, building, cells):
    graded = grade_cells(*cells, bank=building)
    assert graded.earned == 0
    assert any(word in graded.verdicts[0].message for word in ("package", "raised", "too long"))


def test_building_it_is(grade_cells, building):
    own = "def amdahl(s, n):\n    return 1 / (s + (1 - s) / n)"
    use = "from perfmodel.scaling import amdahl_speedup\nassert amdahl_speedup(0.5, 1) == 1"
    graded = grade_cells(use, own, bank=building)
    assert graded.earned == 1, graded


def test_each_of_both_runs_has_the_whole_time(warm, building):
    """Else a notebook that takes a minute has half of it for what only the second run decides."""
    slow = "from perfmodel.scaling import amdahl_speedup as f\nimport time; time.sleep(2)\nf(0, 1)"
    own = "def amdahl(s, n):\n    return 1 / (s + (1 - s) / n)"
    started = []

    def start(hide, spent):
        started.append((hide, spent < 2))
        return warm.session(PATIENT, hide, spent)

    graded = grade(Handin("ada", "ada", notebook(own, slow), "x.ipynb"), building, "s", start)
    assert (graded.problem, graded.earned) == ("", 1)
    assert started == [(True, True), (False, True)]


def test_two_at_once_do_not_meet(warm):
    """Two submissions side by side, each looking for the other."""
    seek = (
        "import os, time\nopen('/tmp/here', 'w').write('mine')\n"
        "before = os.listdir('/tmp'), os.getpid()\ntime.sleep(0.3)\n"
        "loot = [str(n) for n in range(2, 4000) if not _dead(n)]\n"
        "loot += sorted(set(os.listdir('/tmp')) - set(before[0]))"
    )
    alive = (
        "import os\ndef _dead(n):\n    try: os.kill(n, 0)\n"
        "    except ProcessLookupError: return True\n    except OSError: return False\n"
        "    return False"
    )
    with warm.session() as one, warm.session() as two:
        import threading

        thread = threading.Thread(target=one.run, args=([alive, seek], {}))
        thread.start()
        assert two.run([alive, seek], {}) == [None, None]
        thread.join()
        assert one.get("loot")["value"] == two.get("loot")["value"] == []


FUTEX = (
    "import ctypes, json, mmap, os\nimport numpy as np\nlibc = ctypes.CDLL(None)\n"
    "file = os.open(json.__file__, os.O_RDONLY)\n"
    "pages = mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ)\n"
    "words = np.frombuffer(pages, np.uint32)\nvalue = ctypes.c_uint32(int(words[0]))\n"
    "number = 202 if os.uname().machine == 'x86_64' else 98\n"
    "address = ctypes.c_void_p(words.ctypes.data)\n"
    "def futex(what, *more): return libc.syscall(number, address, what, *more, None, 0)\n"
)
"""Shared words in a file that both have mapped."""
ACCOMPLICES = {
    "terminals": (
        "import os\nkeep = [os.openpty() for _ in range(8)]\nready = True",
        "import os\nloot = sorted(set(os.listdir('/dev/pts')) - {'ptmx'})",
    ),
    "locks": (
        "import fcntl, json, os\nhandle = os.open(json.__file__, os.O_RDONLY)\n"
        "fcntl.flock(handle, fcntl.LOCK_EX)\nready = True",
        "import fcntl, json, os\nloot = []\n"
        "try: fcntl.flock(os.open(json.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except OSError: loot.append('flock')",
    ),
    "names of sockets": (
        "import socket\nkeep = socket.socket(socket.AF_UNIX)\nkeep.bind('\\0here')\nready = True",
        "import socket\nloot = []\n"
        "try: socket.socket(socket.AF_UNIX).bind('\\0here')\n"
        "except OSError: loot.append('taken')",
    ),
    "futexes in a file": (
        FUTEX + "import threading\n"
        "def sleep(): futex(0, value, ctypes.byref((ctypes.c_long * 2)(9, 0)))\n"
        "threading.Thread(target=sleep, daemon=True).start()\nready = True",
        FUTEX + "import time\ntime.sleep(0.2)\nloot = ['woke one'] * futex(1, 99, None)",
    ),
    "times of devices": (
        "import os\ntry: os.utime('/dev/null')\nexcept OSError: pass\nready = True",
        "import os, time\nchanged = time.time() - os.stat('/dev/null').st_mtime\n"
        "loot = [changed] if changed < 1 else []",
    ),
    "pages that are gone from memory": (
        "import json.tool, os\nhandle = os.open(json.tool.__file__, os.O_RDONLY)\n"
        "os.read(handle, 9)\nos.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)\nready = True",
        "import mmap, os, resource\n"
        "import json.tool\nhandle = os.open(json.tool.__file__, os.O_RDONLY)\n"
        "pages = mmap.mmap(handle, 9, prot=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt\npages[0]\n"
        "loot = ['read'] * (resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before)",
    ),
}
"""What an accomplice does, and how another submission would notice."""


@pytest.mark.parametrize("how", ACCOMPLICES)
def test_accomplices_find_no_way_to_each_other(as_a_user, warm, how):
    tell, look = ACCOMPLICES[how]
    for parent in (warm, as_a_user):
        with parent.session() as one, parent.session() as other:
            one.run([tell], {})
            assert one.get("ready")["value"] is True
            assert other.run([look], {}) == [None]
            assert other.get("loot")["value"] == []


BESIDE = [
    "holds what all can read",
    "fills sockets that nobody has open",
    "fills the kernel's buffers",
    "touches every page that it shares",
    "memory bomb of many processes",
    "fork bomb",
    "inode bomb",
]


@pytest.mark.parametrize("name", BESIDE)
def test_honest_neighbours_get_their_points(as_a_user, warm, solved, name):
    """Two honest submissions beside the attack, of which one began before it."""
    spin = Times(notebook=8, cell=8, call=1, whole=10)
    for parent in (warm, as_a_user):
        if name == "fork bomb" and not parent.sandbox.counted:
            continue  # doctor says so
        with ThreadPoolExecutor(3) as pool:
            first, _, last = (
                pool.submit(
                    grade,
                    Handin(f"{who}.ipynb", who, notebook(*cells), f"{who}.ipynb"),
                    EXAMPLE,
                    "a secret",
                    lambda *how, p=parent, t=times: p.session(t, *how),
                )
                for who, cells, times in (
                    ("ada", solved, Times()),
                    ("mallory", BREAKING[name], spin),
                    ("bob", solved, Times()),
                )
            )
            for honest in (first.result(), last.result()):
                assert honest.earned == honest.points, honest


def test_honest_work_with_processes_goes_on_as_ever(warm):
    """Locks that processes share: nobody may sleep on a futex of theirs, and nothing spins."""
    work = (
        "import multiprocessing, os, time\n"
        "def square(n):\n    time.sleep(0.02)\n    return n * n\n"
        "with multiprocessing.Pool(3) as pool: squares = pool.map(square, range(12), 1)\n"
        "lock, queue = multiprocessing.Lock(), multiprocessing.Queue()\n"
        "def wait():\n"
        "    start = time.process_time()\n"
        "    with lock: queue.put(time.process_time() - start)\n"
        "with lock:\n"
        "    child = multiprocessing.Process(target=wait)\n    child.start()\n    time.sleep(0.5)\n"
        "used = queue.get(timeout=2)\nchild.join()\n"
        "free = lock.acquire(timeout=0.1), lock.acquire(timeout=0.1)"
    )
    with warm.session(Times(notebook=20, cell=20, call=3, whole=30)) as session:
        assert session.run([work], {}) == [None]
        assert session.get("squares")["value"] == [n * n for n in range(12)]
        assert session.get("free")["value"] == [True, False]
        assert session.get("used")["value"] < 0.2, "seconds of CPU time for half a second's wait"


def test_bank_is_not_in_the_sandbox(warm):
    bank = Path(load.__code__.co_filename)
    with warm.session() as session:
        session.run([f"import os; x = os.path.exists({str(bank)!r})"], {})
        assert session.get("x")["value"] is False
    assert shutil.which("bwrap")


@pytest.mark.parametrize("name", ["environment", "processes", "network", "open descriptors"])
def test_looting_outside_the_sandbox_finds_something(port, name):
    space = {}
    for cell in attack(port, name):
        exec(cell, space)
    assert space["loot"]
