"""Of each file of a download something is said: it is graded, or left out with the reason."""

import string
import tempfile
import unicodedata
from pathlib import Path

import pytest
from building import notebook
from downloads import zipped
from hypothesis import given, settings, strategies as st

from perfcourse.intake import versions
from perfcourse.intake.cells import UnreadableError, code_cells
from perfcourse.intake.collection import collect
from perfcourse.intake.submissions import opened

CHECKED = 'check = checker("example", student=STUDENT)'
NOTEBOOKS = [notebook(CHECKED, "x = 1"), notebook(CHECKED, "x = 2"), notebook("print(1)")]
INNER = zipped({"work/example.ipynb": NOTEBOOKS[0], "work/data.csv": b"1", "__MACOSX/._x": b""})
LOCKED = bytearray(zipped({"example.ipynb": NOTEBOOKS[0]}))
LOCKED[6] |= 1
LOCKED[LOCKED.index(b"PK\x01\x02") + 8] |= 1
NAMES = {
    "example.ipynb": NOTEBOOKS,
    "example (1).ipynb": NOTEBOOKS,
    "example (1) (1).ipynb": NOTEBOOKS,
    "example - Copy.ipynb": NOTEBOOKS,
    "Kopie von example.ipynb": NOTEBOOKS,
    "example-v2-FINAL.ipynb": NOTEBOOKS,
    "u\u0308bung.ipynb": NOTEBOOKS,
    "Final.IPYNB": NOTEBOOKS,
    "example.ipynb.txt": NOTEBOOKS,
    "old/example.ipynb": NOTEBOOKS,
    "broken.ipynb": [b"{"],
    "report.pdf": [b"%PDF-1.7"],
    "data.csv": [b"1,2"],
    "work.zip": [INNER, INNER[:-30], b"PK\x03\x04broken", bytes(LOCKED), zipped({"a.zip": INNER})],
    "example.ipynb.zip": [INNER],
    "work.rar": [b"Rar!\x1a\x07"],
    "work.7z": [b"7z\xbc\xaf"],
    "work.tar.gz": [b"\x1f\x8b\x08"],
    ".hidden.ipynb": NOTEBOOKS,
    ".DS_Store": [b""],
    ".ipynb_checkpoints/example-checkpoint.ipynb": NOTEBOOKS,
}
PEOPLE = st.lists(st.sampled_from(string.ascii_lowercase), min_size=1, max_size=4, unique=True)
FORMS = {
    "plain": "{name}/{file}",
    "moodle": "{name} Doe_{n}_assignsubmission_file/{file}",
    "canvas": "doe{name}_{n}_{k}_{base}",
    "blackboard": "Ex_{name}_attempt_2026-10-05-21-14-{k:02}_{base}",
    "sakai": "Ex/Doe, {name}({name})/Submission attachment(s)/{base}",
    "sakai flat": "Ex/Doe, {name}({name})_Submission attachment(s)_{base}",
    "ilias": "Ex/Submissions/Doe_{name}_{name}{n}_{n}/{file}",
    "github": "ex-submissions/ex-{name}/{file}",
    "brightspace": "39-25 - {name} Doe - Oct {k}, 2026 914 PM/{file}",
}


@st.composite
def downloads(draw):
    form, outer = draw(st.sampled_from(sorted(FORMS))), draw(st.sampled_from(["", "week 3/"]))
    files = {}
    for n, name in enumerate(draw(PEOPLE), 1):
        chosen = draw(st.lists(st.sampled_from(sorted(NAMES)), min_size=1, max_size=5, unique=True))
        for k, file in enumerate(chosen, 1):
            base = file.rpartition("/")[2]
            path = FORMS[form].format(name=name, n=n, k=k, file=file, base=base)
            files[outer + path] = draw(st.sampled_from(NAMES[file]))
    return files


def told(name, names):
    """Whether a file, the folder that a program made around it, or what it holds is named."""
    parts = unicodedata.normalize("NFC", name).split("/")
    paths = ["/".join(parts[n:]) for n in range(len(parts))]
    around = {
        path[:end] for path in paths for end in range(1, len(path) + 1) if path[end:][:1] in "/"
    }
    return bool(names & around) or any(
        each.startswith(f"{path}/") for each in names for path in paths
    )


def readable_or_told(handin):
    try:
        return bool(handin.problem or code_cells(handin.data, handin.file_name))
    except UnreadableError as error:
        return bool(str(error))


@settings(max_examples=80, deadline=None)
@given(downloads())
def test_every_file_is_graded_or_named_with_its_reason(files):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in.zip").write_bytes(zipped(files))
        collected = collect(Path(folder) / "in.zip", "example")
        graded = [each for each in collected.submissions if each.path]
        assert all(each.problem for each in collected.submissions if not each.path)
        assert all(each.file for each in graded)
        assert all(readable_or_told(opened(each)) for each in graded)
    assert all(file.why for file in collected.left_out)
    names = [each.file for each in graded] + [file.name for file in collected.left_out]
    assert len(names) == len(set(names))
    assert [name for name in files if not told(name, set(names))] == []


LARGE = notebook(CHECKED, f"x = {'1' * 3000!r}")
PILES = {
    "notebooks": {f"{n}.ipynb": notebook(CHECKED, f"x = {n}") for n in range(300)},
    "large notebooks": {f"{n}.ipynb": LARGE + b" " * n for n in range(40)},
    "notebooks in an archive": {
        "a.zip": zipped({f"{n}.ipynb": notebook(CHECKED, f"x = {n}") for n in range(300)})
    },
    "large notebooks in archives": {
        f"{n}.zip": zipped({f"{k}.ipynb": LARGE + b" " * (n + k) for k in range(10)})
        for n in range(4)
    },
    "what may be notebooks": {f"{n}.json": b"{}" for n in range(300)},
}
"""More than anybody hands in, which the grader would read before any limit holds."""


@pytest.mark.parametrize("pile", PILES)
def test_little_is_read_of_what_one_student_piles_up(pile, tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "MOST_BYTES", 20 * len(LARGE))
    read = []
    cells = versions.code_cells
    monkeypatch.setattr(
        versions, "code_cells", lambda data, name: read.append(len(data)) or cells(data, name)
    )
    files = {f"ada/{name}": data for name, data in PILES[pile].items()}
    (tmp_path / "in.zip").write_bytes(zipped({**files, "bob.ipynb": NOTEBOOKS[0]}))
    collected = collect(tmp_path / "in.zip", "example")
    ada, bob = collected.submissions
    assert (ada.path, bob.problem) == (None, "")
    assert "Hand in the .ipynb file itself." in ada.problem
    assert {file.name for file in collected.left_out} == set(files)
    assert len(read) <= versions.MOST + 2
    assert sum(read) <= versions.MOST_BYTES + 2 * len(LARGE)


def test_silence_would_be_noticed():
    assert not told("week 3/a/x.ipynb", {"a/y.ipynb"})
    assert told("week 3/a/x.ipynb", {"a/x.ipynb"})
    assert told("a/work.zip", {"a/work.zip/work/example.ipynb"})
    assert told("a/.ipynb_checkpoints/x", {"a/.ipynb_checkpoints"})
