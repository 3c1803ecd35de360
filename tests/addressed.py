"""A few pages of the book, of each kind, built as they are once the course has an address."""

from pathlib import Path

import yaml

from perfcourse.book import build, made, sources

PROJECT = sources.root(Path(__file__))
URL = "https://github.com/ada/course"
PAGES = (
    "book/index",
    "book/scaling",
    "book/glossary",
    "book/references",
    "book/instructors/sandbox",
    "book/api/scaling",
    "notebooks/scaling/multicore",
    "exercises/scaling",
)


def built(folder, url=URL, baseurl=""):
    """Lay the pages out in `folder` without running them, and return the folder of their HTML.

    Their links to pages that are left out stay dead, so warnings are no errors.
    """
    for name in (*sources.SOURCES, "solutions"):
        (folder / name).symlink_to(PROJECT / name)
    config = yaml.safe_load((PROJECT / "_config.yml").read_text("utf-8"))
    config["repository"]["url"], config["html"]["baseurl"] = url, baseurl
    chapters = [{"file": page} for page in PAGES[1:]]
    for name, content in (("_config.yml", config), ("_toc.yml", {"chapters": chapters})):
        (folder / name).unlink()
        start = {"format": "jb-book", "root": PAGES[0]} if name == "_toc.yml" else {}
        (folder / name).write_text(yaml.safe_dump(start | content, sort_keys=False))
    paths = [sources.path(folder, page) for page in PAGES]
    notebooks = {
        path: sources.read(path) for path in paths if path and path.parts[-2] != "exercises"
    }
    notebooks = {path: notebook for path, notebook in notebooks.items() if notebook is not None}
    build.lay_out(folder, notebooks, folder / "_build" / "pages", made.pages(folder))
    return build.write(folder / "_build" / "pages", folder).parent
