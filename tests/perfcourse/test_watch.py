"""What the watch sees of a tree of processes: files in memory and the kernel's buffers too."""

import mmap
import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

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
