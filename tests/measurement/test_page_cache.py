"""Dropping pages: what the system is asked for, in which order, and where it can't be asked."""

from __future__ import annotations

import os

import pytest

from perfmodel.measurement import drop_pages


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"pages" * 1000)
    return path


def test_all_pages_are_asked_for_after_they_were_written_out(file, monkeypatch):
    asked = []

    def advise(handle, offset, length, advice):
        same = os.path.sameopenfile(handle, kept.fileno())
        asked.append(("advise", same, offset, length, advice))

    monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
    monkeypatch.setattr(os, "posix_fadvise", advise, raising=False)
    monkeypatch.setattr(os, "fsync", lambda handle: asked.append("sync"))
    with open(file, "rb") as kept:
        assert drop_pages(file) is True
    assert asked == ["sync", ("advise", True, 0, 0, 4)]


def test_a_system_that_cannot_be_asked(file, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    assert drop_pages(file) is False


def test_the_file_stays_as_it_was(file):
    assert drop_pages(str(file)) is hasattr(os, "posix_fadvise")
    assert file.read_bytes() == b"pages" * 1000


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        drop_pages(tmp_path / "nowhere")
