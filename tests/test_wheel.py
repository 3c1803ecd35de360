"""What pip installs: all files, both licences, no answers; an exercise is graded with it."""

import csv
import os
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from installing import PROJECT, Environment, wheel
from required import required

from perfcourse.isolation.trial import find_sandbox

MODULES = ("perfmodel", "perfmodel.measurement", "perfmodel.prediction", "perfcourse")
PYTHONS = os.environ.get("PERFCOURSE_PYTHONS", sys.executable).split(os.pathsep)
"""What it is installed for: this Python, or those whose programs the variable names."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def names(built):
    return set(zipfile.ZipFile(built).namelist())


@pytest.fixture(scope="module")
def metadata(built):
    listed = zipfile.ZipFile(built)
    name = next(name for name in listed.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(listed.read(name))


def test_every_file_of_the_sources_is_in_it(names):
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"]
    sources = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    ours = {name for name in sources.splitlines() if (PROJECT / name).is_file()}
    assert len(ours) > 1000
    assert ours == {f"src/{name}" for name in names if ".dist-info/" not in name}


def test_both_licences_are_in_it(names, metadata):
    assert metadata["License-Expression"] == "BSD-3-Clause AND CC-BY-4.0"
    licences = metadata.get_all("License-File")
    assert licences == ["LICENSE", "LICENSE-CONTENT"]
    places = [name.split(".dist-info/")[1] for name in names if ".dist-info/licenses/" in name]
    assert sorted(places) == [f"licenses/{name}" for name in licences]


def test_no_question_bank_is_in_it(names):
    assert not [name for name in names if "solutions/" in name or "exercises/" in name]


@pytest.fixture(scope="module", params=PYTHONS)
def installed(request, built, tmp_path_factory):
    """An environment with nothing but the wheel, its extra `course`, and what they need."""
    environment = Environment.made(tmp_path_factory.mktemp("installed") / "venv", request.param)
    try:
        environment.install(f"{built}[course]")
    except subprocess.CalledProcessError:
        if required("index"):
            raise
        pytest.skip("no packages to be had here")
    return environment


@pytest.fixture
def course(tmp_path):
    """A folder with one question bank and its notebook, and nothing else of the course."""
    (tmp_path / "solutions").mkdir()
    for ending in ("py", "ipynb"):
        shutil.copy(PROJECT / "solutions" / f"measurement.{ending}", tmp_path / "solutions")
    return tmp_path


def test_an_exercise_is_released_worked_and_graded(installed, course):
    released = installed.run("perfcourse", "release", "measurement", cwd=course)
    assert released.returncode == 0, released.stderr
    (course / "handed-in").mkdir()
    shutil.copy(course / "solutions" / "measurement.ipynb", course / "handed-in" / "ada.ipynb")
    shutil.copy(course / "exercises" / "measurement.ipynb", course / "handed-in" / "ben.ipynb")
    graded = grade(installed, course)
    assert graded.returncode == 0, graded.stdout + graded.stderr
    rows = list(csv.DictReader((course / "handed-in-graded" / "grades.csv").open()))
    assert [(row["student"], row["points"]) for row in rows] == [("ada", "39"), ("ben", "0")]
    assert (course / "handed-in-graded" / "feedback").is_dir()


def grade(environment, folder, **variables):
    unsafe = [] if find_sandbox().bwrap else ["--unsafe-no-sandbox"]
    command = ["perfcourse", "grade", "handed-in", "--topic", "measurement", *unsafe]
    return environment.run(*command, cwd=folder, **variables)


def test_a_bank_elsewhere_is_named_by_the_variable(installed, course, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "handed-in").mkdir()
    refused = grade(installed, elsewhere)
    assert refused.returncode == 1
    assert "name the folder of the question banks in PERFCOURSE_BANKS" in refused.stderr
    shutil.copy(course / "solutions" / "measurement.ipynb", elsewhere / "handed-in" / "ada.ipynb")
    graded = grade(installed, elsewhere, PERFCOURSE_BANKS=str(course / "solutions"))
    assert "1 with full marks" in graded.stdout, graded.stdout + graded.stderr


def test_what_an_extra_lacks_is_told_in_one_sentence(installed, tmp_path):
    told = installed.run("python", "-m", "perfcourse.book", "build", cwd=tmp_path)
    assert told.returncode == 1
    assert told.stderr.count("\n") == 1
    assert told.stderr.endswith("pip install 'perfmodel[course,book]'\n")


@pytest.mark.parametrize("module", MODULES)
def test_its_commands_answer(installed, tmp_path, module):
    helped = installed.run("python", "-m", module, "--help", cwd=tmp_path)
    assert helped.returncode == 0, helped.stderr
    assert "Usage:" in helped.stdout


def test_it_is_the_wheel_that_was_tried(installed, tmp_path):
    code = "import perfmodel, perfcourse; print(perfmodel.__file__, perfcourse.__file__)"
    places = installed.run("python", "-c", code, cwd=tmp_path).stdout.split()
    assert all(Path(place).is_relative_to(installed.folder) for place in places)
