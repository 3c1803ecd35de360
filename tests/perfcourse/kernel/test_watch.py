"""What the watch sees of a tree of processes: files in memory and the kernel's buffers too."""

import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfcourse.kernel import watch
from perfcourse.kernel.watch import DATAGRAMS, STREAM, _files, _sockets, footprint, shares, trees

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
PID = os.getpid()


def test_a_tree_has_its_descendants_and_their_threads():
    code = "import threading, sys; threading.Thread(target=sys.stdin.read).start()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as child:
        while (tree := trees({child.pid})[child.pid]).tasks < 2:
            assert child.poll() is None
        assert tree.processes == [child.pid]
        whole = trees({PID})[PID]
        assert child.pid in whole.processes
        assert whole.memory > tree.memory > 2**20
        child.stdin.close()


def test_pages_that_processes_share_count_once():
    size = 64 * 2**20
    with mmap.mmap(-1, size) as memory:
        memory.write(b"x" * size)
        before = trees({PID})[PID].memory, shares(trees({PID})[PID])
        child = os.fork()
        if child == 0:
            sum(memory[::4096])
            signal.pause()
            os._exit(0)
        try:
            while trees({PID})[PID].memory < before[0] + size:
                assert os.waitpid(child, os.WNOHANG) == (0, 0)
            assert shares(trees({PID})[PID]) < before[1] + size / 2
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)


def test_files_in_memory_count():
    before = _files(PID, ["/dev/shm"])
    with open("/dev/shm/perfcourse-test", "wb") as file:
        file.write(bytes(2**20))
        file.flush()
        os.unlink(file.name)
        assert _files(PID, ["/dev/shm"]) >= before + 2**20
    assert _files(PID, ["/nowhere"]) == 0


def test_sockets_count_as_full_whoever_holds_them():
    """Half of what is made, since others on the machine may close theirs meanwhile."""
    before = _sockets(PID)
    with socket.socket(socket.AF_UNIX) as listening, ExitStack() as stack:
        listening.bind(f"\0perfcourse-test-{PID}")
        listening.listen(128)
        for _ in range(100):
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(f"\0perfcourse-test-{PID}")
        assert _sockets(PID) >= before + 50 * STREAM, "those that wait to be accepted"
        for _ in range(100):
            stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        assert _sockets(PID) >= before + 50 * DATAGRAMS
    assert _sockets(2**22 + 1) == 0


def test_footprint_is_all_of_it():
    tree = trees({PID})[PID]
    assert footprint(PID, tree, ["/dev/shm"]) >= tree.memory + _sockets(PID)


def stat(pid, parent, used, waited=0, state="R", begun=1):
    """Return what the kernel says of a process in /proc/PID/stat."""
    fields = [state, parent, *[0] * 9, used, 0, waited, 0, 0, 0, 1, 0, begun, *[0] * 30]
    return f"{pid} (a) b) {' '.join(map(str, fields))}"


@pytest.fixture
def look(tmp_path, monkeypatch):
    """Return a function that has the watch look at some processes, at a time."""
    clock, folders = [0.0], os.listdir

    def instead(path):
        return str(path).replace("/proc", str(tmp_path))

    def opened(path, mode):
        return open(instead(path), mode)

    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(watch.os, "listdir", lambda path: folders(instead(path)))
    monkeypatch.setattr(watch, "open", opened, raising=False)
    monkeypatch.setattr(watch, "_accounts", {})

    def of(at, *stats, wanting=1):
        clock[0] = at
        (tmp_path / "loadavg").write_text(f"0.10 0.20 0.30 {wanting}/167 23881")
        for folder in filter(Path.is_dir, tmp_path.iterdir()):
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
        for text in stats:
            folder = tmp_path / text.split()[0]
            folder.mkdir()
            (folder / "stat").write_text(text)
            (folder / "status").write_text("RssAnon: 1 kB")
        return trees({10})[10].cpu

    return of


TICKS = os.sysconf("SC_CLK_TCK")


def test_a_child_that_nobody_waits_for_counts_as_last_seen_and_as_running_since(look):
    assert look(0.0, stat(10, 1, 100)) == pytest.approx(100 / TICKS)
    assert look(0.1, stat(10, 1, 100), stat(11, 10, 5)) == pytest.approx(105 / TICKS)
    assert look(0.2, stat(10, 1, 100)) == pytest.approx(105 / TICKS + 0.1)
    assert look(0.3, stat(10, 1, 100)) == pytest.approx(105 / TICKS + 0.1)


@pytest.mark.parametrize(("wanting", "share"), [(1, 1), (3, 1), (5, 1), (17, 1 / 4), (401, 0.01)])
def test_on_a_busy_machine_it_is_taken_to_have_had_its_share_of_a_core(
    look, monkeypatch, wanting, share
):
    """A process that waits for a core is shown as running, too."""
    monkeypatch.setattr(watch.os, "cpu_count", lambda: 4)
    look(0.0, stat(10, 1, 100), *(stat(pid, 10, 0) for pid in range(11, 21)))
    now = look(0.05, stat(10, 1, 100), wanting=wanting)
    assert now == pytest.approx(100 / TICKS + 10 * 0.05 * share)


def test_a_child_that_sleeps_counts_as_last_seen(look):
    look(0.0, stat(10, 1, 100), stat(11, 10, 5, state="S"))
    assert look(9.0, stat(10, 1, 100)) == pytest.approx(105 / TICKS)


def test_a_child_that_is_waited_for_counts_once(look):
    look(0.0, stat(10, 1, 100), stat(11, 10, 50))
    assert look(0.1, stat(10, 1, 100, waited=60)) == pytest.approx(160 / TICKS)
    assert look(0.2, stat(10, 1, 100, waited=60)) == pytest.approx(160 / TICKS)


def test_a_grandchild_counts_where_its_parents_went(look):
    """The parent waited for it, and the first process for the parent."""
    look(0.0, stat(10, 1, 100), stat(11, 10, 5), stat(12, 11, 50))
    assert look(0.1, stat(10, 1, 100, waited=60)) == pytest.approx(160 / TICKS)
    look(0.2, stat(10, 1, 100, waited=60), stat(21, 10, 5), stat(22, 21, 50))
    assert look(0.3, stat(10, 1, 100, waited=60)) == pytest.approx(215 / TICKS + 2 * 0.1)


def test_one_that_waits_hides_no_other_that_does_not(look):
    processes = stat(10, 1, 0), stat(11, 10, 0), stat(21, 10, 0)
    look(0.0, *processes, stat(12, 11, 40, state="S"), stat(22, 21, 40, state="S"))
    now = look(0.1, stat(10, 1, 0), stat(11, 10, 0, waited=45), stat(21, 10, 0))
    assert now == pytest.approx(85 / TICKS)


def test_an_id_that_is_given_again_is_another_process(look):
    look(0.0, stat(10, 1, 0), stat(11, 10, 40, state="S"))
    assert look(0.1, stat(10, 1, 0), stat(11, 10, 3, begun=2)) == pytest.approx(43 / TICKS)


def test_a_tree_that_is_looked_at_no_more_is_forgotten(look):
    look(0.0, stat(10, 1, 0), stat(11, 10, 40))
    trees(set())
    assert not watch._accounts
    assert look(0.1, stat(10, 1, 0)) == 0


CHILDREN = {
    "ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "waited for": "pass",
    "of a child that has ended": "import ctypes; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)",
}
"""The last has each done by a grandchild, which comes to the first process."""


@pytest.mark.parametrize("how", CHILDREN.values(), ids=CHILDREN)
def test_what_short_lived_children_use_is_seen(tmp_path, how):
    """The same code in all cases: a hundredth of a second or three each, on their own clock."""
    code = (
        "import os, signal, struct, sys, time\n"
        f"{how}\n"
        "end = time.monotonic() + 4\n"
        "def use(seconds):\n"
        "    while time.process_time() < seconds: pass\n"
        f"    with open({str(tmp_path / 'used')!r}, 'ab') as file:\n"
        "        file.write(struct.pack('d', time.process_time()))\n"
        "    os._exit(0)\n"
        "number = 0\n"
        "while time.monotonic() < end:\n"
        "    number += 1\n"
        "    if (pid := os.fork()) == 0:\n"
        f"        {'ctypes' in how} and os.fork() and os._exit(0)\n"
        "        use(0.01 + 0.02 * (number % 2))\n"
        "    if signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN: os.waitpid(pid, 0)\n"
        "    time.sleep(0.013)\n"
    )
    (tmp_path / "used").touch()
    seen, last = 0.0, None
    with subprocess.Popen([sys.executable, "-S", "-c", code]) as root:
        while root.poll() is None:
            cpu = trees({root.pid})[root.pid].cpu
            seen += max(0.0, cpu - last) if last is not None else 0.0
            last = cpu
            time.sleep(0.05)
    used = sum(number for (number,) in struct.iter_unpack("d", (tmp_path / "used").read_bytes()))
    assert seen > 0.6 * used
