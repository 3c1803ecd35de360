from pathlib import Path

import nbformat
import pytest
import yaml

from perfcourse.book import sources


def notebook(*cells, **metadata):
    cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


class TestPages:
    def test_all_kinds_of_entries_in_reading_order(self, tmp_path):
        toc = {
            "root": "a",
            "parts": [{"chapters": [{"file": "b", "sections": [{"file": "c"}]}, {"file": "d"}]}],
        }
        (tmp_path / "_toc.yml").write_text(yaml.safe_dump(toc))
        assert sources.pages(tmp_path) == ["a", "b", "c", "d"]

    def test_a_chapter_is_its_markdown_also_when_jupyterlab_has_a_notebook_of_it(self, tmp_path):
        for name in ("chapter.md", "chapter.ipynb", "lab.ipynb"):
            (tmp_path / name).touch()
        found = [sources.path(tmp_path, page) for page in ("chapter", "lab", "made")]
        assert found == [tmp_path / "chapter.md", tmp_path / "lab.ipynb", None]

    def test_root_is_found_from_below_or_refused(self, tmp_path):
        (tmp_path / "_toc.yml").touch()
        (tmp_path / "x" / "y").mkdir(parents=True)
        assert sources.root(tmp_path / "x" / "y") == tmp_path
        with pytest.raises(FileNotFoundError, match=r"no _toc\.yml in / or above"):
            sources.root(Path("/"))

    def test_page_without_code_is_no_notebook(self, tmp_path):
        (tmp_path / "a.md").write_text("# Title\n")
        assert sources.read(tmp_path / "a.md") is None

    def test_every_page_and_file_name_follows_the_rule(self):
        for page in sources.pages(sources.root(Path(__file__))):
            assert page == page.lower()
            assert "_" not in page


class TestKey:
    def test_text_does_not_count_but_code_does(self):
        first = notebook("1 + 1")
        second = notebook("1 + 1")
        second.cells.insert(0, nbformat.v4.new_markdown_cell("words"))
        assert sources.key(first) == sources.key(second)
        assert sources.key(first) != sources.key(notebook("1 + 2"))

    def test_modules_are_followed_through_their_imports(self):
        seen = set()
        sources._imports("from perfmodel import live", seen)
        assert {"perfmodel", "perfmodel.live", "perfmodel.live.svg", "perfmodel.validation"} <= seen

    def test_a_name_that_is_imported_lazily_leads_to_its_module(self, tmp_path, monkeypatch):
        package = tmp_path / "perfmodel_lazy"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "__init__.pyi").write_text("from .laws import speedup as speedup\n")
        (package / "laws.py").write_text("speedup = 1\n")
        (package / "other.py").write_text("")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(sources, "OURS", ("perfmodel_lazy",))
        seen = set()
        sources._imports("from perfmodel_lazy import speedup", seen)
        assert seen == {"perfmodel_lazy", "perfmodel_lazy.laws"}

    def test_a_changed_module_changes_the_key_of_those_that_import_it(self, tmp_path, monkeypatch):
        package = tmp_path / "perfmodel_copy"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "one.py").write_text("x = 1\n")
        monkeypatch.syspath_prepend(tmp_path)
        depending = notebook("print(1)", depends=["perfmodel_copy"])
        before = sources.key(depending)
        assert sources.key(depending) == before
        (package / "one.py").write_text("x = 2\n")
        assert sources.key(depending) != before

    def test_magics_do_not_stop_it(self):
        assert sources.key(notebook("%matplotlib inline\nimport perfmodel.ledger\n!ls"))

    def test_what_pages_say_counts_for_those_that_ask_for_it(self, monkeypatch):
        asking, other = notebook("from perfcourse.book import about"), notebook("print(1)")
        before = sources.key(asking), sources.key(other)
        monkeypatch.setattr(sources, "_told", lambda project: "another plan")
        assert sources.key(asking) != before[0]
        assert sources.key(other) == before[1]
