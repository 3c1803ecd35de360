"""The archive of the built pages."""

import zipfile

import pytest

from perfcourse.book.offline.archive import archive


def test_holds_all_pages_in_one_folder_and_is_the_same_each_time(tmp_path):
    html = tmp_path / "_build" / "html"
    (html / "book").mkdir(parents=True)
    (html / "index.html").write_text("first")
    (html / "book" / "laws.html").write_text("laws")
    before = archive(tmp_path).read_bytes()
    (html / "index.html").touch()
    path = archive(tmp_path)
    assert path.read_bytes() == before
    with zipfile.ZipFile(path) as packed:
        assert packed.namelist() == [
            "performance-models/book/laws.html",
            "performance-models/index.html",
        ]
        assert packed.read("performance-models/index.html") == b"first"


def test_without_a_built_book_says_what_to_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `make book` first"):
        archive(tmp_path)
