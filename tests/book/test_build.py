import nbformat
import pytest
import yaml

from perfcourse.book import build, extension
from perfmodel.live import display


@pytest.fixture
def project(tmp_path):
    for folder in ("book", "notebooks", "exercises"):
        (tmp_path / folder).mkdir()
    config = {"title": "t", "repository": {"url": "", "branch": "main"}, "html": {}}
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(config))
    (tmp_path / "_toc.yml").write_text("root: book/index\n")
    (tmp_path / "book" / "index.md").write_text("See [a](one.md#part), [b](two.md), [c](../x.md).")
    (tmp_path / "book" / "one.md").write_text("# One")
    (tmp_path / "book" / "two.md").write_text("# Two")
    return tmp_path


def laid_out(project, notebooks=None):
    build.lay_out(project, notebooks or {}, project / "out", {"book/made": "# Made\n"})
    return project / "out"


class TestLayOut:
    def test_links_follow_pages_that_became_notebooks(self, project):
        notebook = nbformat.v4.new_notebook()
        out = laid_out(project, {project / "book" / "one.md": notebook})
        assert (out / "book" / "one.ipynb").exists()
        assert not (out / "book" / "one.md").exists()
        text = (out / "book" / "index.md").read_text()
        assert text == "See [a](one.ipynb#part), [b](two.md), [c](../x.md)."

    def test_a_notebook_with_citations_stays_one_and_carries_what_its_page_says(self, project):
        (project / "_toc.yml").write_text("root: book/index\nchapters: [{file: exercises/one}]\n")
        cell = nbformat.v4.new_markdown_cell("By [Jo (2020)](../book/references.bib#Jo2020).")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), project / "exercises" / "one.ipynb")
        (project / "solutions").mkdir()
        solution = nbformat.v4.new_notebook(metadata={"course": {"minutes": 30}})
        nbformat.write(solution, project / "solutions" / "one.ipynb")
        found = nbformat.read(laid_out(project) / "exercises" / "one.ipynb", as_version=4)
        assert found.cells[0].source == "By {cite:t}`Jo2020`."
        assert found.metadata["course"] == {"minutes": 30}

    def test_unchanged_files_are_left_alone_and_old_ones_go(self, project):
        out = laid_out(project)
        before = (out / "book" / "two.md").stat().st_mtime_ns
        (project / "book" / "one.md").unlink()
        laid_out(project)
        assert (out / "book" / "two.md").stat().st_mtime_ns == before
        assert not (out / "book" / "one.md").exists()

    def test_no_repository_address_no_buttons(self, project):
        config = yaml.safe_load((laid_out(project) / "_config.yml").read_text())
        assert config["repository"] == {"url": ""}
        assert "launch_buttons" not in config

    def test_with_an_address_each_page_is_told_its_source(self, project):
        config = yaml.safe_load((project / "_config.yml").read_text())
        config["repository"]["url"] = "https://github.com/ada/course"
        (project / "_config.yml").write_text(yaml.safe_dump(config))
        out = laid_out(project, {project / "book" / "one.md": nbformat.v4.new_notebook()})
        context = yaml.safe_load((out / "_config.yml").read_text())["sphinx"]["config"]
        assert context["html_context"]["written"] == {
            "book/one.ipynb": "book/one.md",
            "book/made.md": "src/perfmodel/made/__init__.pyi",
        }


def test_the_script_becomes_a_classic_one():
    script = extension._classic(display.script())
    assert "export" not in script.replace("exported", "")
    assert "wakeAll(document);" in script
