import errno
import resource

import pytest

from perfcourse.report.files import append, write, write_bytes


def test_a_full_disk_is_told_with_the_file_which_stays_as_it_was(tmp_path):
    path = tmp_path / "grades.csv"
    write(path, "before")
    (tmp_path / "grades.csv.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"No space left on device: '.*/grades.csv'") as told:
        write(path, "after")
    assert told.value.errno == errno.ENOSPC
    assert path.read_text() == "before"
    assert [*tmp_path.iterdir()] == [path]
    write(path, "after")
    assert path.read_text() == "after"


@pytest.fixture
def no_file_over_100_bytes():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.usefixtures("no_file_over_100_bytes")
def test_what_is_added_to_a_file_is_added_whole_or_not_at_all(tmp_path):
    path = tmp_path / "summary.md"
    append(path, 60 * "a")
    with pytest.raises(OSError, match=r"File too large: '.*/summary.md'"):
        append(path, 60 * "b")
    append(path, 40 * "c")
    assert path.read_text() == 60 * "a" + 40 * "c"


def test_a_file_comes_in_pieces_and_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep" / "results.json"
    write(path, (f"{number}\n" for number in range(3)))
    assert path.read_text() == "0\n1\n2\n"
    with pytest.raises(ZeroDivisionError):
        write_bytes(path, (bytes(1 // number) for number in (1, 0)))
    assert path.read_text() == "0\n1\n2\n"
    assert [*path.parent.iterdir()] == [path]


def test_a_file_that_holds_the_same_is_left_alone(tmp_path):
    path = tmp_path / "page.html"
    write(path, "same")
    before = path.stat()
    write(path, "same")
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    write(path, "else")
    assert path.read_text() == "else"
    (tmp_path / "link.html").symlink_to(path)
    write(tmp_path / "link.html", "else")
    assert not (tmp_path / "link.html").is_symlink()


def test_half_a_character_stops_no_file(tmp_path):
    write(tmp_path / "x", "a\ud800b")
    assert (tmp_path / "x").read_text() == "a?b"
