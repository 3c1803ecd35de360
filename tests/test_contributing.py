"""A contributor's first lab: the commands of CONTRIBUTING.md, given as they stand, all pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

PROJECT = Path(__file__).parents[1]
SECTION = (PROJECT / "CONTRIBUTING.md").read_text("utf-8").split("## A lab in ten minutes\n")[1]
BLOCKS = re.findall(r"^```\n(.*?)^```", SECTION.partition("\n## ")[0], re.S | re.M)
NEW_LAB, RUN, LINT, TESTS, BOOK = "".join(BLOCKS).splitlines()
TOC = """
format: jb-book
root: book/index
chapters:
  - file: book/glossary
  - file: book/scaling
    sections:
      - file: notebooks/scaling/my-system
"""
"""A book of one lab; the whole one takes minutes, and another test builds it."""


@pytest.fixture
def tree(tmp_path):
    """A copy of what the repository holds, with the environment of this one."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (PROJECT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in ("requirements.txt", "pyproject.toml"):  # older than .venv: make leaves that alone
        os.utime(tmp_path / name, (0, 0))
    if (PROJECT / ".mypy_cache").is_dir():
        shutil.copytree(PROJECT / ".mypy_cache", tmp_path / ".mypy_cache")
    return tmp_path


def give(tree, command):
    """Give a command in the tree, whose own packages it imports, and let it pass."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        shlex.split(command),
        cwd=tree,
        env=env | {"PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_style_and_types(tree):
    give(tree, NEW_LAB)
    assert "no issues found" in give(tree, LINT)


def test_its_own_tests_and_those_of_every_lab(tree):
    give(tree, NEW_LAB)
    give(tree, RUN)
    passed = int(re.search(r"(\d+) passed", give(tree, TESTS))[1])
    assert passed > 300


def test_book(tree):
    give(tree, NEW_LAB)
    (tree / "_toc.yml").write_text(TOC)
    pages = tree / "book"
    (pages / "index.md").write_text("# Front\n\nA book of one lab.\n")
    (pages / "glossary.md").write_text("# Glossary\n\n```{glossary}\nlink\n  A line.\n```\n")
    (pages / "scaling.md").unlink()  # a chapter has code, so that labs link to a notebook
    chapter = [nbformat.v4.new_markdown_cell("# Scaling\n\nA chapter of one lab.")]
    nbformat.write(nbformat.v4.new_notebook(cells=chapter), pages / "scaling.ipynb")
    give(tree, BOOK)
    page = tree / "_build" / "html" / "notebooks" / "scaling" / "my-system.html"
    assert "My system (Author, 2020)" in page.read_text("utf-8")
    assert page.read_text("utf-8").count('<figure class="live"') == 1
