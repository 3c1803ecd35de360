"""The processor's counters: what they count, and every refusal with its remedy."""

import errno
import mmap
import struct

import pytest

from perfmodel.measurement.cpu import counters
from perfmodel.measurement.errors import Unavailable


def fresh_memory():
    """Write to pages that the system has to map first; an allocator could hand out used ones."""
    with mmap.mmap(-1, 4 << 20) as pages:
        pages[::4096] = bytes(len(pages) // 4096)


def counted(events):
    """Count a function, or skip where this system refuses."""
    try:
        return counters.count_events(fresh_memory, events)
    except Unavailable as missing:
        pytest.skip(str(missing))


def test_page_faults_of_fresh_memory_are_counted():
    result = counted(["page_faults"])
    assert result.values["page_faults"] > 0
    assert result.shares == {"page_faults": 1.0}


def test_a_loop_takes_at_least_an_instruction_a_turn():
    def loop():
        for _ in range(100_000):
            pass

    try:
        result = counters.count_events(loop, ["instructions"])
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert result.values["instructions"] > 100_000


def test_a_count_for_part_of_the_time_is_extrapolated():
    assert counters.scaled("cycles", struct.pack("QQQ", 300, 900, 300)) == (900.0, 1 / 3)


def test_a_count_that_never_ran_is_an_error():
    with pytest.raises(Unavailable, match="all counters were taken; count fewer events"):
        counters.scaled("cycles", struct.pack("QQQ", 0, 900, 0))


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.EACCES, "forbids it.*perf_event_paranoid"), (errno.EPERM, "forbids it.*PERFMON"),
     (errno.ENOENT, "no such counter.*not virtual"), (errno.EMFILE, "Too many open files")],
)  # fmt: skip
def test_refusals_say_why_and_what_to_do(code, words):
    assert isinstance(counters.refused("cycles", code), Unavailable)
    with pytest.raises(Unavailable, match=words):
        raise counters.refused("cycles", code)


def test_other_systems_have_no_counters(monkeypatch):
    monkeypatch.setattr(counters.platform, "system", lambda: "Darwin")
    with pytest.raises(Unavailable, match="no perf_event_open on Darwin"):
        counters.count_events(lambda: None)


def test_a_refused_system_call_is_an_error(monkeypatch):
    class Kernel:
        def syscall(self, *arguments):
            counters.ctypes.set_errno(errno.EACCES)
            return -1

    monkeypatch.setattr(counters.platform, "system", lambda: "Linux")
    monkeypatch.setattr(counters.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(counters.ctypes, "CDLL", lambda *names, **more: Kernel())
    result = counters.available(["cycles", "page_faults"])
    assert all("forbids it" in why for why in result.values())


def test_an_unknown_event_is_refused():
    with pytest.raises(ValueError, match="events must be among cycles.*got 'sighs'"):
        counters.count_events(lambda: None, ["sighs"])
