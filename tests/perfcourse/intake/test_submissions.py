import json
import os

import pytest
from building import notebook

from perfcourse.intake.cells import MAX_CODE, UnreadableError, code_cells, not_run
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.submissions import read


def names(folder, **more):
    found = collect(folder, "example", Sources(**more)).submissions
    return {s.name: (s.student, s.path and s.path.name) for s in found}


def test_flat_nested_and_nbgrader_layouts(tmp_path):
    (tmp_path / "ada.ipynb").write_bytes(notebook("1"))
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "my work.ipynb").write_bytes(notebook("1"))
    (tmp_path / "cyd" / "example").mkdir(parents=True)
    (tmp_path / "cyd" / "example" / "example.ipynb").write_bytes(notebook("1"))
    (tmp_path / "cyd" / "example" / "scratch.ipynb").write_bytes(notebook("1"))
    (tmp_path / ".ipynb_checkpoints").mkdir()
    assert names(tmp_path) == {
        "ada.ipynb": ("ada", "ada.ipynb"),
        "bob": ("bob", "my work.ipynb"),
        "cyd": ("cyd", "example.ipynb"),
    }


def test_table_of_students_names_them(tmp_path):
    (tmp_path / "smithjo_123_example.ipynb").write_bytes(notebook("1"))
    table = {"smithjo_123_example.ipynb": "js77"}
    assert names(tmp_path, students=table)["smithjo_123_example.ipynb"][0] == "js77"


@pytest.mark.parametrize("name", [".x.ipynb", "__x.ipynb", "x.csv", ".x", "__x", "-x.ipynb"])
def test_no_name_vanishes_in_silence(tmp_path, name):
    (tmp_path / name).write_bytes(notebook("1"))
    for clutter in (".DS_Store", "._ada.ipynb", "Thumbs.db", ".gitignore", ".~lock.ada.csv#"):
        (tmp_path / clutter).write_bytes(b"")
    (tmp_path / "__MACOSX").mkdir()
    assert list(names(tmp_path)) == [name]


def test_what_is_put_aside_is_nobodys_and_a_link_to_it_is_somebodys(tmp_path):
    (tmp_path / "students.csv").write_text("")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "students.csv")
    assert list(names(tmp_path, aside=(tmp_path / "students.csv",))) == ["link.ipynb"]


def test_folder_without_one_clear_notebook_says_so(tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "two").mkdir()
    for name in "ab":
        (tmp_path / "two" / f"{name}.ipynb").write_bytes(notebook(name))
    none, two = collect(tmp_path, "example").submissions
    assert "holds no notebook" in none.problem
    assert "Hand in only the one that counts" in two.problem


def test_links_are_not_followed(tmp_path):
    (tmp_path / "real.ipynb").write_bytes(notebook("1"))
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    (tmp_path / "folder").symlink_to(tmp_path)
    with pytest.raises(UnreadableError, match="is a link"):
        read(tmp_path / "link.ipynb")
    found = {s.name: s for s in collect(tmp_path, "example").submissions}
    with pytest.raises(UnreadableError, match="is a link"):
        read(found["folder"].path)


def test_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    with pytest.raises(UnreadableError, match="not a file"):
        read(tmp_path / "pipe.ipynb")


def test_huge_file_is_not_read(tmp_path):
    path = tmp_path / "huge.ipynb"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    with pytest.raises(UnreadableError, match="200 MB; 16 is the most. Clear all outputs"):
        read(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\0" * 1000, "empty"),
        (b"not json", "broken JSON"),
        (b"[" * 100_000, "broken JSON"),
        (b'{"cells": [', "broken JSON"),
        ("caf\u00e9".encode("latin-1"), "isn't UTF-8"),
        (b"[1, 2]", "JSON but not a notebook"),
        (b"{}", "JSON but not a notebook"),
        (b'{"cells": {"a": 1}}', "JSON but not a notebook"),
        (b'{"cells": []}', "no code"),
        (b"PK\x03\x04zip", "an archive"),
        (notebook("1", metadata={"kernelspec": {"language": "R"}}), "is for r"),
        (notebook("x" * (MAX_CODE + 1)), "far more code"),
    ],
)
def test_unreadable_file_gets_a_reason(data, reason):
    with pytest.raises(UnreadableError, match=reason):
        code_cells(data)


def test_odd_but_readable_notebooks_are_read():
    v3 = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]}]}
    assert code_cells(json.dumps(v3).encode()) == ["a = 1\nb = 2"]
    assert code_cells(b"\xef\xbb\xbf" + notebook("1")) == ["1"]
    odd = {
        "cells": [7, None, {"cell_type": "code", "source": 5}, {"cell_type": "code", "source": "x"}]
    }
    assert code_cells(json.dumps(odd).encode()) == ["", "x"]
    weird = {"metadata": [1], "cells": [{"cell_type": "code", "source": ["y", 3]}]}
    assert code_cells(json.dumps(weird).encode()) == ["y"]


@pytest.mark.parametrize("kind", ["markdown", "raw"])
@pytest.mark.parametrize("code", ["def f(x):\n    return x", "q2 = 3", 'q2["a"] = 3'])
def test_answer_in_a_cell_of_text_is_named(kind, code):
    cells = [{"cell_type": kind, "source": code}, {"cell_type": "markdown", "source": "q2 is = 3?"}]
    data = json.dumps({"cells": cells}).encode()
    assert not_run(data, ["f", "q2", "other"]) == {"f" if "def" in code else "q2": kind}


@pytest.mark.parametrize("language", ["python", "Python", "ipython3", "python3", "Python 3", ""])
def test_every_name_of_python_is_python(language):
    assert code_cells(notebook("x = 1", metadata={"kernelspec": {"language": language}}))


def test_ends_of_lines_are_those_that_the_kernel_gets():
    assert code_cells(notebook("%time \\\r\n 1\r\n", "a\rb")) == ["%time \\\n 1\n", "a\nb"]


def test_a_chart_of_many_points_keeps_no_code_from_being_read():
    chart = {"application/json": [{"x": [n]} for n in range(400_000)]}
    shown = {"output_type": "display_data", "metadata": {}, "data": chart}
    cell = {"cell_type": "code", "metadata": {}, "source": '"outputs": ['}
    data = json.dumps({"cells": [{"outputs": [shown], **cell}, {**cell, "outputs": []}]})
    assert code_cells(data.encode()) == ['"outputs": ['] * 2


def test_text_cells_are_no_code_however_many():
    text = {"cell_type": "markdown", "metadata": {}, "source": "a"}
    code = {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": []}
    assert code_cells(json.dumps({"cells": [code] * 2100 + [text] * 9000}).encode())
