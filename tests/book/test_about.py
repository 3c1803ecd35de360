from pathlib import Path

import nbformat
import pytest
import yaml

from perfcourse.book import about, sources
from perfcourse.book.toc import _files

PROJECT = sources.root(Path(__file__))
GOOD = {
    "objectives": ["count bytes", "bound a loop"],
    "needs": ["book/one"],
    "minutes": 30,
    "difficulty": "easy",
    "core": True,
}


class TestParse:
    def test_says_what_was_written(self):
        said = about.parse(GOOD, "book/two")
        assert said.objectives == ("count bytes", "bound a loop")
        assert said.sentence == "You will be able to count bytes; bound a loop."

    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            ("objectives", ["count bytes"], "two to four, got 1"),
            ("objectives", ["count bytes.", "bound"], "without a full stop"),
            ("objectives", ["Count bytes", "bound"], "complete a sentence"),
            ("objectives", ["", "bound"], "complete a sentence"),
            ("minutes", 2, "from 5 to 120, got 2"),
            ("minutes", "30", "from 5 to 120, got '30'"),
            ("difficulty", "mild", "easy, medium, hard, got 'mild'"),
            ("core", "yes", "true or false"),
        ],
    )
    def test_what_is_not_allowed_is_refused_with_the_page(self, key, value, message):
        with pytest.raises(ValueError, match=f"^book/two: .*{message}"):
            about.parse(GOOD | {key: value}, "book/two")

    def test_a_missing_or_unknown_key_is_refused(self):
        for wrong in ({"minutes": 30}, GOOD | {"author": "me"}):
            with pytest.raises(ValueError, match="course must have objectives, needs"):
                about.parse(wrong, "book/two")


class TestContents:
    @pytest.fixture
    def project(self, tmp_path):
        toc = {"root": "book/index", "chapters": [{"file": "book/one"}, {"file": "exercises/one"}]}
        (tmp_path / "_toc.yml").write_text(yaml.safe_dump(toc))
        for folder in ("book", "exercises", "solutions"):
            (tmp_path / folder).mkdir()
        (tmp_path / "book" / "index.md").write_text("# Start\n")
        front = yaml.safe_dump({"course": GOOD})
        (tmp_path / "book" / "one.md").write_text(f"---\n{front}---\n# One\n")
        notebook = nbformat.v4.new_notebook()
        nbformat.write(notebook, tmp_path / "exercises" / "one.ipynb")
        notebook.metadata["course"] = GOOD | {"minutes": 60}
        nbformat.write(notebook, tmp_path / "solutions" / "one.ipynb")
        return tmp_path

    def test_an_exercise_is_described_by_its_solution(self, project):
        found = about.contents(project)
        assert list(found) == ["book/one", "exercises/one"]
        assert found["exercises/one"].minutes == 60

    def test_a_laid_out_exercise_describes_itself(self, project):
        place = project / "exercises" / "one.ipynb"
        (project / "solutions" / "one.ipynb").rename(place)
        assert about.contents(project)["exercises/one"].minutes == 60


@pytest.fixture(scope="module")
def contents():
    return about.contents(PROJECT)


class TestTheBook:
    def test_every_chapter_lab_and_exercise_says_what_it_is_for(self, contents):
        toc = yaml.safe_load((PROJECT / "_toc.yml").read_text("utf-8"))
        chapters = next(part for part in toc["parts"] if part["caption"] == "Chapters")
        assert set(contents) == set(_files(chapters))

    def test_what_a_page_needs_exists_and_is_not_itself(self, contents):
        for page, said in contents.items():
            assert set(said.needs) <= set(sources.pages(PROJECT)) - {page}, page

    def test_the_core_path_needs_nothing_beside_it_and_nothing_later(self, contents):
        core = [page for page, said in contents.items() if said.core]
        for i, page in enumerate(core):
            needed = {need for need in contents[page].needs if need in contents}
            assert needed <= set(core[:i]), page

    def test_the_first_step_is_the_same_everywhere(self, contents):
        core = [page for page, said in contents.items() if said.core]
        assert core[:2] == ["book/measurement", "notebooks/measurement/stream-on-your-machine"]
        front = (PROJECT / "book" / "index.md").read_text("utf-8")
        assert "Begin with [measuring](measurement.md)" in front

    def test_the_pages_name_the_hours_of_the_core_path(self, contents):
        hours = round(sum(said.minutes for said in contents.values() if said.core) / 60)
        for page in ("index", "how-to-use", "instructors/course-plans"):
            text = (PROJECT / "book" / f"{page}.md").read_text("utf-8")
            assert f"about {hours} hours" in text, page

    def test_the_labs_of_the_core_path_stand_before_the_others(self, contents):
        for topic in [p.partition("/")[2] for p in contents if p.startswith("book/")]:
            pages = [page for page in contents if page.partition("/")[2].startswith(topic)]
            core = [contents[page].core for page in pages]
            assert core == sorted(core, reverse=True), topic
