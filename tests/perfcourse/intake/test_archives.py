"""Archives that nobody who means well has made."""

import io
import os
import stat
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from building import notebook
from downloads import RIGHT, zipped as archive_of

from perfcourse.intake import archives
from perfcourse.intake.archives import ArchiveError, content, entries
from perfcourse.intake.collection import collect
from perfcourse.intake.submissions import MAX_ZIPPED, Submission, opened

MOST = 2**20


def made(*infos, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for info, data in infos:
            archive.writestr(info, data)
    return stream.getvalue()


def linked(name, target, kind=stat.S_IFLNK):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    return made((info, target))


def encrypted(data):
    """Set the flag of encryption in both places where an entry has it."""
    flagged = bytearray(data)
    flagged[6] |= 1
    flagged[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(flagged)


def opened_as(data, tmp_path, name="ada.zip"):
    (tmp_path / name).write_bytes(data)
    return opened(Submission(name, "ada", tmp_path / name))


def test_the_one_notebook_is_read(tmp_path):
    data = archive_of({"work/x.ipynb": RIGHT, "work/notes.txt": b"", "__MACOSX/._x.ipynb": b"!"})
    handin = opened_as(data, tmp_path)
    assert (handin.data, handin.file_name, handin.problem) == (RIGHT, "x.ipynb", "")
    assert opened_as(data, tmp_path, "ada.ipynb").data == RIGHT


@pytest.mark.parametrize(
    "name", ["../out.ipynb", "/etc/x.ipynb", "a/../../x.ipynb", "..\\x.ipynb", "C:\\x", "C:x", "."]
)
def test_path_that_leads_out_is_refused(name, tmp_path):
    data = archive_of({"in/a.ipynb": RIGHT, name: b""})
    with pytest.raises(ArchiveError, match="leads out of it"):
        entries(data)
    assert "leads out of it" in opened_as(data, tmp_path).problem


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_link_and_device_are_refused(kind):
    with pytest.raises(ArchiveError, match="a link or no file"):
        entries(linked("x.ipynb", b"/etc/passwd", kind))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [["a.ipynb", "a.ipynb"], ["a", "a/b"], ["a/b", "./a/b"]])
def test_name_twice_is_refused(names):
    with pytest.raises(ArchiveError, match="twice"):
        entries(made(*((name, b"1") for name in names)))


def test_encrypted_is_refused(tmp_path):
    data = encrypted(archive_of({"a.ipynb": RIGHT}))
    assert "is encrypted" in opened_as(data, tmp_path).problem


def test_other_compression_is_refused():
    """The memory that LZMA takes is for the archive to say."""
    with pytest.raises(ArchiveError, match="another method than deflate"):
        entries(made(("a.ipynb", RIGHT), method=zipfile.ZIP_LZMA))


@pytest.mark.parametrize("cut", [5, 40, -60, -20, -4])
def test_broken_archive_has_a_reason(cut, tmp_path):
    problem = opened_as(archive_of({"a.ipynb": RIGHT})[:cut], tmp_path).problem
    assert "is broken" in problem


def test_wrong_checksum_has_a_reason(tmp_path):
    data = bytearray(archive_of({"a.ipynb": RIGHT}))
    data[60] ^= 0xFF
    assert "is broken" in opened_as(bytes(data), tmp_path).problem


def test_bomb_is_never_unpacked(tmp_path):
    data = archive_of({"bomb.ipynb": bytes(200 * 2**20)})
    assert len(data) < 2**20
    assert "holds a file of 200 MB" in opened_as(data, tmp_path).problem


def test_file_that_grows_too_much_is_refused():
    data = archive_of({"zeros.ipynb": bytes(4 * 2**20)})
    with pytest.raises(ArchiveError, match="grows more than 200 times"):
        content(data, "zeros.ipynb", 16 * 2**20)


def test_lie_about_the_length_takes_no_memory():
    """The archive says ten bytes, and 64 MB follow: they are not decompressed to be thrown away."""
    zeros = bytes(64 * MOST)
    data = bytearray(archive_of({"a": zeros}))
    for place in (22, data.index(b"PK\x01\x02") + 24):
        data[place : place + 4] = struct.pack("<I", 10)
    for place in (14, data.index(b"PK\x01\x02") + 16):
        data[place : place + 4] = struct.pack("<I", zlib.crc32(zeros[:10]))
    tracemalloc.start()
    assert content(bytes(data), "a", MOST) == zeros[:10]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * MOST


def test_very_many_files_are_refused_before_they_are_listed(monkeypatch):
    data = archive_of({f"{n}.txt": b"" for n in range(MAX_ZIPPED + 1)})
    monkeypatch.setattr(archives.zipfile, "ZipFile", lambda *what: pytest.fail("was listed"))
    with pytest.raises(ArchiveError, match="over 1000 files"):
        entries(data, MAX_ZIPPED)


def test_archive_in_an_archive_is_refused(tmp_path):
    inner = archive_of({"a.ipynb": RIGHT})
    problem = opened_as(archive_of({"inner.zip": inner}), tmp_path).problem
    assert problem == "The archive holds no notebook. Hand in the .ipynb file itself."
    disguised = opened_as(archive_of({"inner.ipynb": inner}), tmp_path)
    assert disguised.data == inner


def test_several_notebooks_are_for_the_student_to_choose(tmp_path):
    data = archive_of({"a.ipynb": RIGHT, "b.ipynb": notebook("2")})
    assert "several notebooks" in opened_as(data, tmp_path).problem


def test_nothing_is_written(tmp_path):
    opened_as(archive_of({"a.ipynb": RIGHT}), tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["ada.zip"]


CLASSES = {
    "notebooks": lambda student: {f"{student}.ipynb": RIGHT},
    "folders": lambda student: {f"{student}/lab/a.ipynb": RIGHT, f"{student}/lab/data.csv": b"1"},
    "archives of their own": lambda student: {f"{student}.zip": archive_of({"a.ipynb": RIGHT})},
    "Moodle's folders": lambda student: {f"{student}_7_assignsubmission_file_/a.ipynb": RIGHT},
    "Moodle's folders of archives": lambda student: {
        f"{student}_7_assignsubmission_file_/a.zip": archive_of({"a.ipynb": RIGHT})
    },
}
"""What each student has in the archive of a class."""


@pytest.mark.parametrize("of_each", CLASSES.values(), ids=CLASSES)
def test_the_archive_of_a_class_is_opened_once(tmp_path, monkeypatch, of_each):
    """Its directory grows with the class: to read it for each file takes the square of that."""
    students = [f"s{number:03}" for number in range(50)]
    files = {name: data for each in students for name, data in of_each(each).items()}
    (tmp_path / "class.zip").write_bytes(archive_of(files))
    made, really = [], zipfile.ZipFile.__init__
    monkeypatch.setattr(
        zipfile.ZipFile, "__init__", lambda self, file: made.append(file) or really(self, file)
    )
    came = collect(tmp_path / "class.zip", "example").submissions
    assert {opened(submission).data for submission in came for _ in range(3)} == {RIGHT}
    assert [submission.student.split()[0] for submission in came] == students
    assert [file for file in made if isinstance(file, Path)] == [tmp_path / "class.zip"]


def test_an_archive_that_was_replaced_is_read_again(tmp_path):
    path = tmp_path / "class.zip"
    for number in range(3):
        path.write_bytes(archive_of({f"s{number}.ipynb": RIGHT}))
        os.utime(path, (number, number))
        assert [entry.name for entry in entries(path)] == [f"s{number}.ipynb"]
        assert content(path, f"s{number}.ipynb", MOST) == RIGHT
