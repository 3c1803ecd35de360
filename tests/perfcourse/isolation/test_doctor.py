"""What `doctor` says of a machine is true: tried with what a missing part would let through."""

import os
from dataclasses import replace
from types import SimpleNamespace

import pytest
from limits import LIMITS, needs_sandbox

from perfcourse.isolation import cgroup, doctor
from perfcourse.isolation.sandbox import Sandbox
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm


def there(sandbox):
    return {finding.part: finding.there for finding in doctor.findings(sandbox)}


def test_nothing_is_there_without_a_sandbox():
    found = there(Sandbox(problem="none here"))
    assert not any(found[part] for part in list(found)[:3])
    needed = [finding.part for finding in doctor.findings(Sandbox()) if finding.needed]
    assert needed == ["sandbox"]


def test_every_missing_part_comes_with_advice():
    assert all(finding.advice for finding in doctor.findings(Sandbox()) if not finding.there)


def test_a_processor_without_a_filter_is_named(monkeypatch):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    assert there(Sandbox("bwrap"))["system call filter"] is False
    assert not any("filter" in line for line in Sandbox("bwrap").protections)


def test_a_control_group_is_there_where_one_is_delegated(monkeypatch, tmp_path):
    monkeypatch.setattr(cgroup, "delegated", lambda: tmp_path)
    assert there(Sandbox("bwrap"))["control group (cgroup v2)"] is True
    monkeypatch.setattr(cgroup, "delegated", lambda: None)
    assert there(Sandbox("bwrap"))["control group (cgroup v2)"] is False


SHARED = {"own_uids": False, "subordinate": False}
PIPES = """
import fcntl, os, time
def room():
    ends = os.pipe()
    return fcntl.fcntl(ends[1], 1032)
"""
USE_UP = """
for _ in range(30):
    if os.fork() == 0:
        keep = []
        try:
            while True: keep.append(os.pipe())
        except OSError: time.sleep(60)
time.sleep(1.5)
"""


@needs_sandbox
@pytest.mark.parametrize("own_uids", sorted({find_sandbox().own_uids, False}))
def test_a_shared_user_id_lets_one_use_up_what_another_needs(own_uids):
    """The attack that the missing part lets through, and that its presence stops."""
    sandbox = find_sandbox() if own_uids else replace(find_sandbox(), **SHARED)
    assert there(sandbox)["a user id for each submission"] is own_uids
    with Warm(sandbox, LIMITS, []) as warm, warm.session() as one, warm.session() as other:
        assert one.run([PIPES + USE_UP], {}) == [None]
        other.run([PIPES], {})
        assert (other.call("room", [])["value"] == 2**16) is own_uids


FORKS = """
import os, time
def forks():
    started = 0
    for _ in range(50):
        try: pid = os.fork()
        except OSError: break
        if pid == 0: time.sleep(60)
        started += 1
    return started
"""


@needs_sandbox
@pytest.mark.parametrize("own_uids", sorted({find_sandbox().own_uids, False}))
def test_where_processes_are_counted_the_kernel_counts_them(own_uids):
    sandbox = find_sandbox() if own_uids else replace(find_sandbox(), **SHARED)
    assert there(sandbox)["limit on processes"] is sandbox.counted
    limits = replace(LIMITS, processes=30)
    with Warm(sandbox, limits, []) as warm, warm.session() as session:
        session.run([FORKS], {})
        assert (session.call("forks", [])["value"] < 30) is sandbox.counted


@needs_sandbox
def test_the_filter_that_it_names_refuses():
    """Without the filter a lock would be felt: it is granted twice because it isn't taken."""
    lock = (
        "import fcntl, json, os\n"
        "def lock():\n"
        "    handle = os.open(json.__file__, os.O_RDONLY)\n"
        "    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    return handle"
    )
    assert there(find_sandbox())["system call filter"] is True
    with Warm(find_sandbox(), LIMITS, []) as warm, warm.session() as one, warm.session() as other:
        for session in (one, other):
            session.run([lock], {})
            assert "value" in session.call("lock", [])
    space = {}
    exec(lock, space)
    space["lock"]()
    with pytest.raises(BlockingIOError):
        space["lock"]()
