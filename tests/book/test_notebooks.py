"""What every lab of the book must be, whoever wrote it."""

import ast
import inspect
import re
import statistics
from pathlib import Path

import nbformat
import pytest

from perfcourse.book import jupyter, sources, start

PROJECT = Path(__file__).parents[2]
LABS = [PROJECT / f"{page}.ipynb" for page in sources.pages(PROJECT) if "notebooks/" in page]
STORED = [sources.recording(path) for path in sources.executable(PROJECT)]
CHAPTERS = [path for path in sources.executable(PROJECT) if path.suffix == ".md"]
named = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)


def cells(path, kind):
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == kind]


def code_of(path):
    notebook = sources.read(path)
    return [] if notebook is None else [c.source for c in notebook.cells if c.cell_type == "code"]


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_code_cell_was_run_without_error(path):
    for cell in cells(path, "code"):
        assert cell.execution_count, cell.source
        assert not [o for o in cell.outputs if o.output_type == "error"], cell.source
        assert not [o for o in cell.outputs if o.get("name") == "stderr"], cell.source


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_recorded_as_it_is_written(path):
    recorded = [cell.source for cell in cells(sources.recording(path), "code")]
    assert recorded == code_of(path), "run `python -m perfcourse.book run`"


def test_nothing_is_recorded_of_a_page_that_is_gone():
    there = {*(PROJECT / "book").rglob(f"{sources.RECORDED}/*.ipynb")}
    assert there == {sources.recording(path) for path in CHAPTERS}


@named
def test_lab_has_the_shape_of_a_lab(path):
    words = " ".join(c.source for c in cells(path, "markdown"))
    lines = [len(c.source.split("\n")) for c in cells(path, "code")]
    tags = [set(c.metadata.get("tags", [])) for c in cells(path, "code")]
    shown = [n for n, has in zip(lines, tags, strict=True) if not has & {*jupyter.HIDDEN}]
    asked = sum("now-you" in has for has in tags)
    assert len(lines) + len(cells(path, "markdown")) >= 12
    assert max(lines) <= 40
    assert max(shown) <= 25
    assert statistics.median(shown) <= 10
    assert len(shown) <= max(6, asked)
    assert len(re.findall(r"\w+", words)) >= 600
    assert words.startswith("# ")
    for section in ("predict", "where it breaks", "what you learned"):
        assert section in words.lower(), section


@pytest.mark.parametrize("path", [*LABS, *CHAPTERS], ids=lambda path: path.stem)
def test_code_fits_a_page(path):
    wide = [line for source in code_of(path) for line in source.split("\n") if len(line) > 100]
    assert wide == []


@named
def test_lab_holds_no_model_and_asks_before_it_answers(path):
    source = "\n".join(code_of(path))
    assert "from perfmodel" in source
    assert "live.predict(" in source or "live.choose(" in source
    assert "live.figure(" in source
    kinds = [line for line in source.split("\n") if line.startswith("class ")]
    assert kinds == []


def calls_in_text(path):
    """Yield each call that the text of a lab shows as `code`, in the line `code` itself."""
    for cell in cells(path, "markdown"):
        for code in re.findall(r"(?<!`)`([^`\n]+\))`(?!`)", cell.source):
            try:
                tree = ast.parse(code, mode="eval")
            except SyntaxError:
                continue
            yield from ((code, node) for node in ast.walk(tree) if isinstance(node, ast.Call))


@named
def test_calls_in_the_text_can_be_made(path):
    statements = [node for source in code_of(path) for node in ast.parse(source).body]
    imports = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))]
    there = {}
    exec(compile(ast.Module(imports, []), str(path), "exec"), there)
    for code, call in calls_in_text(path):
        names = ast.unparse(call.func).split(".")
        if names[0] not in there:
            continue
        called = there[names[0]]
        for name in names[1:]:
            called = getattr(called, name, None)
        assert called is not None, code
        if inspect.isfunction(called) or inspect.isclass(called):
            arguments = inspect.signature(called).parameters
            assert {word.arg for word in call.keywords} <= {*arguments}, code


def tasks_in(path):
    """Return the cells tagged now-you that check an answer."""
    return [
        cell
        for cell in cells(path, "code")
        if "now-you" in cell.metadata.get("tags", []) and ".check(" in cell.source
    ]


@named
def test_run_all_finishes_no_lab(path):
    tasks = tasks_in(path)
    assert len(tasks) >= 2
    for cell in tasks:
        said = [o.data["text/plain"] for o in cell.outputs if "text/plain" in o.get("data", {})]
        assert len(said) == 1, cell.source
        assert said[0].startswith("Not done yet: "), cell.source


@named
def test_in_jupyterlab_prompts_are_folded_and_no_role_stands_raw(path):
    tidied = jupyter.tidy(
        nbformat.read(path, as_version=4), jupyter.authors(PROJECT / "book" / "references.bib")
    )
    assert tidied == nbformat.read(path, as_version=4), "run `python -m perfcourse.book tidy`"
    raw = [c.source for c in cells(path, "markdown") if re.search(r"\{[\w:]+\}`", c.source)]
    assert raw == []
    for cell in cells(path, "code"):
        if re.search(r"\blive\.(predict|choose|quiz)\(", cell.source):
            assert cell.metadata.get("jupyter", {}).get("source_hidden"), cell.source


@named
def test_links_to_chapters_open_as_notebooks(path):
    text = "\n".join(c.source for c in cells(path, "markdown"))
    for chapter in re.findall(r"\]\(../../book/([\w-]+)\.md", text):
        assert not code_of(PROJECT / "book" / f"{chapter}.md"), f"link to {chapter}.ipynb"


SHOWING = {"table", "says", "picture", "figure", "drawing", "claims_table", "predict", "choose"}


def test_a_cell_shows_all_that_it_makes():
    pages = [PROJECT / f"{p}.ipynb" for p in sources.pages(PROJECT) if "exercises/" in p]
    pages += [*LABS, *(PROJECT / "book").glob("*.md")]
    lost = [(path.stem, call) for path in pages for code in code_of(path) for call in _lost(code)]
    assert lost == [], "only the last expression of a cell is shown"


def _lost(source):
    for node in ast.parse(source).body[:-1]:
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and getattr(node.value.func, "attr", "") in SHOWING
        ):
            yield ast.unparse(node.value.func)


def test_lost_displays_are_found():
    assert list(_lost("live.says('a')\nlive.table([], [])")) == ["live.says"]
    assert list(_lost("x = live.says('a')\nlive.table([], [])")) == []


@named
def test_lab_has_its_module_and_test(path):
    lab = f"perfmodel.labs.{path.parent.name}.{path.stem.replace('-', '_')}"
    used = "\n".join(code_of(path))
    assert lab in used or f"perfmodel.{path.parent.name}" in used


def test_prediction_keys_are_unique_in_the_book():
    keys = []
    for page in sources.pages(PROJECT):
        path = sources.path(PROJECT, page)
        for source in [] if path is None else code_of(path):
            keys += _keys(source)
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)
    assert keys


def _keys(source):
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("predict", "choose", "quiz")
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield node.args[0].value


def test_every_lab_file_is_in_the_table_of_contents():
    there = {
        path
        for path in (PROJECT / "notebooks").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts and path != PROJECT / start.PLACE
    }
    assert there == set(LABS)
