import io

import nbformat
import pytest
from rich.console import Console

from perfcourse.book import recording, run


@pytest.fixture
def console():
    return Console(file=io.StringIO())


def write(path, *cells):
    cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_runs_once_then_takes_the_kept_outputs(tmp_path, console):
    marker = tmp_path / "runs"
    path = write(tmp_path / "a.ipynb", f"open({str(marker)!r}, 'a').write('x'); print(6 * 7)")
    for _ in range(2):
        done = run.run_all([path], tmp_path / "cache", console)
        assert done[path].cells[0].outputs[0].text == "42\n"
        assert done[path].cells[0].execution_count == 1
    assert marker.read_text() == "x"


def test_new_words_keep_the_outputs(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    run.run_all([path], tmp_path / "cache", console)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("New words."))
    nbformat.write(notebook, path)
    done = run.run_all([path], tmp_path / "cache", console)[path]
    assert done.cells[1].source == "New words."
    assert done.cells[0].outputs[0].text == "42\n"


def test_outputs_kept_in_the_notebook_count_until_the_code_changes(tmp_path, console):
    marker = tmp_path / "runs"
    path = write(tmp_path / "a.ipynb", f"open({str(marker)!r}, 'a').write('x'); print(6 * 7)")
    nbformat.write(run.run_all([path], tmp_path / "cache", console)[path], path)
    done = run.run_all([path], tmp_path / "elsewhere", console)[path]
    assert done.cells[0].outputs[0].text == "42\n"
    assert marker.read_text() == "x"
    run.run_all([path], tmp_path / "elsewhere", console, fresh=True)
    assert marker.read_text() == "xx"
    done.cells[0].source += " + 1"
    nbformat.write(done, path)
    with pytest.raises(run.NotebookError, match="TypeError"):
        run.run_all([path], tmp_path / "elsewhere", console)
    assert marker.read_text() == "xxx"


def test_a_new_question_bank_makes_its_solution_stale(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "from pathlib import Path; print(Path('a.py').read_text())")
    for text in ("first", "second"):
        (tmp_path / "a.py").write_text(text)
        done = run.run_all([path], tmp_path / "cache", console)[path]
        assert done.cells[0].outputs[0].text == f"{text}\n"


def test_all_are_tried_and_each_failure_is_named(tmp_path, console):
    bad = write(tmp_path / "bad.ipynb", "1 / 0")
    good = write(tmp_path / "good.ipynb", "print('fine')")
    with pytest.raises(run.NotebookError, match=r"bad\.ipynb stopped:(.|\n)*ZeroDivisionError"):
        run.run_all([bad, good], tmp_path / "cache", console)
    assert len(list((tmp_path / "cache").glob("*.ipynb"))) == 1


def test_a_notebook_that_measures_runs_after_the_others(tmp_path, console):
    marker = tmp_path / "done"
    alone = write(tmp_path / "a.ipynb", f"import os; print(os.path.exists({str(marker)!r}))")
    notebook = nbformat.read(alone, as_version=4)
    notebook.metadata["alone"] = True
    nbformat.write(notebook, alone)
    slow = write(tmp_path / "b.ipynb", f"import time; time.sleep(1); open({str(marker)!r}, 'w')")
    done = run.run_all([alone, slow], tmp_path / "cache", console)
    assert done[alone].cells[0].outputs[0].text == "True\n"


def test_pages_without_code_are_passed_over(tmp_path, console):
    (tmp_path / "a.md").write_text("# Words only\n")
    assert run.run_all([tmp_path / "a.md"], tmp_path / "cache", console) == {}


def test_running_again_gives_the_same_file(tmp_path, console):
    path = write(
        tmp_path / "a.ipynb",
        "import time\nfor n in range(3):\n    print(n, flush=True); time.sleep(0.3)",
        "from perfmodel import live\n"
        "live.predict('key', 'How many?', 2.0, 'times', 0.1, 'Because it is so.')",
        "import sys\nprint('out'); print('err', file=sys.stderr); sys.stderr.flush(); print('out')",
    )
    files = []
    for folder in ("one", "two"):
        nbformat.write(run.run_all([path], tmp_path / folder, console)[path], tmp_path / "b.ipynb")
        files.append((tmp_path / "b.ipynb").read_text())
    assert files[0] == files[1]
    notebook = nbformat.reads(files[0], as_version=4)
    assert [output.text for output in notebook.cells[0].outputs] == ["0\n1\n2\n"]
    assert set(notebook.cells[1].outputs[0].data) == {"text/plain", "text/html"}


CHAPTER = """\
---
kernelspec: {name: python3, display_name: Python 3, language: python}
---
# A chapter

```{code-cell}
print(6 * 7)
```
"""


def test_outputs_of_a_chapter_lie_beside_it_until_its_code_changes(tmp_path, console):
    path = tmp_path / "a.md"
    path.write_text(CHAPTER)
    recording.record([path], tmp_path / "cache", console)
    stored = nbformat.read(tmp_path / "recorded" / "a.ipynb", as_version=4)
    assert [(cell.source, cell.outputs[0].text) for cell in stored.cells] == [
        ("print(6 * 7)", "42\n")
    ]
    stored.cells[0].outputs[0].text = "kept"
    nbformat.write(stored, tmp_path / "recorded" / "a.ipynb")
    path.write_text(CHAPTER.replace("# A chapter", "# Another title"))
    (taken,) = run.run_all([path], tmp_path / "elsewhere", console).values()
    assert taken.cells[0].source == "# Another title"
    assert taken.cells[1].outputs[0].text == "kept"
    path.write_text(CHAPTER.replace("6 * 7", "6 * 8"))
    (again,) = run.run_all([path], tmp_path / "elsewhere", console).values()
    assert again.cells[1].outputs[0].text == "48\n"
