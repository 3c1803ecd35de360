"""What services are told about this repository: it validates, and names what is there."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from perfcourse.book import sources
from perfcourse.book.published import buttons

PROJECT = sources.root(Path(__file__))
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
ABOUT = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
TARGETS = set(re.findall(r"^([\w./$()]+):", (PROJECT / "Makefile").read_text("utf-8"), re.M))
TARGETS |= {".venv/.ready"}


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", WORKFLOWS),
        ("dependabot", [PROJECT / ".github" / "dependabot.yml"]),
        ("citation-file-format", [PROJECT / "CITATION.cff"]),
    ],
)
def test_file_validates(schema, files):
    check = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema"]
    done = subprocess.run([*check, f"vendor.{schema}", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def commands():
    """Return every command that a workflow or a container runs, with the file that has it."""
    found = []
    for path in WORKFLOWS:
        jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
        found += [(path.name, step.get("run", "")) for job in jobs for step in job.get("steps", [])]
    container = json.loads((PROJECT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    found += [(name, text) for name, text in container.items() if name.endswith("Command")]
    return [*found, ("Dockerfile", (PROJECT / "Dockerfile").read_text("utf-8"))]


def test_what_is_called_is_there():
    called = [
        (name, text)
        for name, run in commands()
        for text in re.findall(r"\bmake ((?:[a-z./]+ ?)+)", run)
    ]
    assert len(called) >= 4
    for name, targets in called:
        assert set(targets.split()) <= TARGETS, name
    assert all((PROJECT / run).stat().st_mode & 0o111 for _, run in commands() if run == ".ci/run")


def test_the_book_is_pushed_to_the_branch_that_colab_opens():
    publish = next(path for path in WORKFLOWS if path.stem == "publish").read_text("utf-8")
    assert f"--initial-branch {buttons.BRANCH}" in publish
    assert f'$GITHUB_REPOSITORY" {buttons.BRANCH}' in publish


def test_no_workflow_may_write_but_where_it_says_so():
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {"contents": "read"}
        for name, job in workflow["jobs"].items():
            assert ("permissions" in job) == (name in ("publish", "release")), path.name


def test_binder_has_a_python_that_the_lock_is_for():
    python = (
        (PROJECT / ".binder" / "runtime.txt").read_text("utf-8").strip().removeprefix("python-")
    )
    assert f"Programming Language :: Python :: {python}" in ABOUT["classifiers"]
    script = PROJECT / ".binder" / "postBuild"
    assert script.stat().st_mode & 0o111
    assert "--require-hashes -r requirements.txt" in script.read_text("utf-8")


def test_a_container_runs_as_an_ordinary_user():
    lines = (PROJECT / "Dockerfile").read_text("utf-8").split("\n")
    assert [line for line in lines if line.startswith("USER ")][-1] == "USER student"
    python = re.search(r"^FROM python:([\d.]+)-", "\n".join(lines), re.M)[1]
    assert f"Programming Language :: Python :: {python}" in ABOUT["classifiers"]


def test_zenodo_and_the_citation_say_the_same():
    zenodo = json.loads((PROJECT / ".zenodo.json").read_text("utf-8"))
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text("utf-8"))
    assert zenodo["title"] == citation["title"]
    assert zenodo["version"] == str(citation["version"]) == ABOUT["version"]
    assert [one["name"] for one in zenodo["creators"]] == [
        one["name"] for one in citation["authors"]
    ]
    assert zenodo["license"] in citation["license"]
    assert zenodo["upload_type"] == citation["type"]
