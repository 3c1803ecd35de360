import io
import zipfile

import pytest

from perfcourse.intake.file_types import kind, zipped


def office(folder):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(f"{folder}/document.xml", "<w/>")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7\n%...", "a PDF"),
        (office("word"), "a Word document"),
        (office("xl"), "an Excel sheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a document of Word, Excel or PowerPoint"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\xff\xd8\xff\xe0JFIF", "a picture"),
        (b"\n<!DOCTYPE html><html>", "a web page"),
        (b"\xef\xbb\xbf# solution\nimport numpy as np\n", "a Python script"),
        (b"Rar!\x1a\x07", "an archive that isn't zip"),
        (b"\x1f\x8b\x08\x00", "an archive that isn't zip"),
        (bytes(257) + b"ustar", "an archive that isn't zip"),
        (b'{"cells": [', ""),
        (b' \n{"cells": ["import numpy"]}', ""),
        (b"not json", ""),
        (b"", ""),
    ],
)
def test_first_bytes_tell(data, what):
    assert kind(data) == what


def test_only_a_plain_archive_is_opened():
    assert zipped(b"PK\x03\x04" + bytes(30))
    assert not zipped(office("word"))
    assert not zipped(b"Rar!\x1a\x07")


def test_a_script_by_its_name():
    assert kind(b"x = 1", "answer.py") == "a Python script"
    assert kind(b'{"cells": []}', "answer.py") == ""
