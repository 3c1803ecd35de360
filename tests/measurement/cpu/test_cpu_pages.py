"""Fresh memory, and what is said of the pages that hold it."""

import mmap

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement.cpu import pages


@pytest.mark.skipif(not pages.MAPS.exists(), reason="needs Linux's list of memory")
def test_memory_is_private_since_shared_memory_gets_no_huge_pages():
    words = pages.fresh(4 << 20)
    words[:] = 1
    regions = [line.split() for line in pages.MAPS.read_text().splitlines() if " 00:00 0" in line]
    index = words.ctypes.data + words.nbytes // 2
    (kind,) = [
        what
        for ends, what, *_ in regions
        if int(ends.split("-")[0], 16) <= index < int(ends.split("-")[1], 16)
    ]
    assert kind == "rw-p"
    assert pages.huge_share(words) is not None


@given(size=st.integers(1, 5 << 20))
@settings(max_examples=20, deadline=None)
def test_memory_is_zero_and_begins_with_a_page(size):
    words = pages.fresh(size)
    assert words.size == -(-size // 8)
    unit = pages.PAGE if words.nbytes >= pages.PAGE else mmap.PAGESIZE
    assert words.ctypes.data % unit == 0
    words[-1] = 1
    assert words.sum() == 1


def test_a_system_that_refuses_huge_pages_still_gives_memory(monkeypatch):
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", 12345, raising=False)
    assert pages.fresh(4 << 20).size == 4 << 17
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE")
    assert pages.fresh(4 << 20).size == 4 << 17


def mapped(path, array, huge, there=100):
    index = array.ctypes.data
    path.write_text(
        f"{index - 4096:x}-{index:x} rw-p 00000000 00:00 0\n"
        "Rss:                 999 kB\nAnonHugePages:       999 kB\n"
        f"{index:x}-{index + array.nbytes:x} rw-p 00000000 00:00 0\n"
        f"Rss:                 {there} kB\nAnonHugePages:       {huge} kB\n"
    )
    return path


@pytest.mark.parametrize(
    ("huge", "share", "words"),
    [(100, 1.0, "huge pages"), (40, 0.4, "40 % in huge pages"), (0, 0.0, "small pages")],
)
def test_the_share_in_huge_pages_is_that_of_the_arrays_own_memory(tmp_path, huge, share, words):
    array = np.zeros(1024)
    path = mapped(tmp_path / "smaps", array, huge)
    assert pages.huge_share(array, path) == share
    assert pages.described(array, path) == words


def test_memory_that_the_system_does_not_show_has_pages_of_unknown_size(tmp_path):
    array, path = np.zeros(1024), tmp_path / "smaps"
    assert pages.described(array, path) == "page size unknown"
    assert pages.described(array, mapped(path, array, 0, there=0)) == "page size unknown"
    path.write_text("")
    assert pages.huge_share(array, path) is None
