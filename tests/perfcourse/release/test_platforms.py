"""The files for systems that grade at hand-in: valid, and their own commands run here.

What would install something, or needs root, is only written down by a stand-in of its name.
"""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from building import notebook, write_kinds
from click.testing import CliRunner

from perfcourse.commands.cli import main
from perfcourse.isolation.trial import find_sandbox
from perfcourse.release import platforms
from perfcourse.release.platforms import COURSE, template

RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
BIN = Path(sys.executable).parent
GITHUB, GITLAB = ".github/workflows/classroom.yml", ".gitlab-ci.yml"
needs_sandbox = pytest.mark.skipif(not find_sandbox().bwrap, reason="no sandbox on this machine")


def released(course, *words):
    result = CliRunner().invoke(main, ["release", "example", *words, "--out", "out"])
    assert result.exit_code == 0, result.output
    return course / "out" / "example"


@pytest.fixture
def stand_ins(course, monkeypatch):
    """Put programs that only write down their arguments before all others; return where to."""
    folder, log = course / "stand-ins", course / "called.txt"
    folder.mkdir()
    note = f'#!/bin/sh\necho "$(basename "$0") $*" >> {log}\n'
    programs = {
        "apt-get": note,
        "sysctl": note,
        "sudo": '#!/bin/sh\nexec "$@"\n',
        "git": f'{note}cp -r {course}/origin "$6"\n',
        "pip": note,
        "python3": f'{note}mkdir -p "$3/bin"; cp {folder}/apt-get "$3/bin/pip"; '
        f'cp {folder}/apt-get "$3/bin/uv"\n',
    }
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{BIN}:{os.environ['PATH']}")
    return log


def bash(text, folder, **environment):
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text]
    environment = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("system", "path", "schema"),
    [
        ("github-classroom", GITHUB, "vendor.github-workflows"),
        ("gitlab", GITLAB, "vendor.gitlab-ci"),
    ],
)
def test_job_keeps_to_the_published_schema(course, system, path, schema):
    written = released(course, f"--for-{system}") / path
    check = [BIN / "check-jsonschema", "--output-format", "json", "--builtin-schema", schema]
    broken = course / f"broken{written.suffix}"
    broken.write_text(written.read_text().replace("timeout", "time-out"))
    done = subprocess.run([*check, written, broken], capture_output=True, text=True)
    assert {error["filename"] for error in json.loads(done.stdout)["errors"]} == {str(broken)}


@pytest.mark.parametrize("name", ["github-classroom.yml", "gitlab-ci.yml", "autolab-Makefile"])
def test_template_is_a_topic_s_in_one_place(name):
    assert template(name, "queueing") == template(name, "scaling").replace("scaling", "queueing", 1)


def test_students_get_the_exercise_and_no_bank(course):
    folder = released(course, "--for-gitlab")
    assert sorted(path.name for path in folder.rglob("*")) == [".gitlab-ci.yml", "example.ipynb"]
    assert "NotImplementedError" in (folder / "example.ipynb").read_text()


def github_steps(folder, values):
    """Yield name, commands, folder and environment of each step that runs commands."""
    job = yaml.safe_load((folder / GITHUB).read_text())["jobs"]["run-autograding-tests"]

    def filled(environment):
        return {name: values.get(value, value) for name, value in environment.items()}

    for step in job["steps"]:
        if "run" in step:
            environment = filled({**job["env"], **step.get("env", {})})
            assert not [value for value in environment.values() if "${{" in value]
            assert "${{" not in step["run"]
            yield step["name"], step["run"], step.get("working-directory", "."), environment


@needs_sandbox
def test_github_s_steps_run_and_hand_over_the_points(course, stand_ins):
    repository = released(course, "--for-github-classroom")
    (course / "solutions").rename(repository / ".course-solutions")
    (repository / ".course").mkdir()
    (repository / ".course-solutions").rename(repository / ".course" / "solutions")
    (repository / "example.ipynb").write_bytes(notebook(RIGHT))
    values = {
        "${{ github.event.repository.name }}": "scaling-ada",
        "${{ vars.PERFCOURSE_REPOSITORY }}": "school/course",
        "${{ secrets.PERFCOURSE_SECRET }}": "spring",
    }
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")
    told = {name: str(course / name) for name in names}
    job = {**told, "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(repository)}
    ended = {}
    for name, commands, inside, environment in github_steps(repository, values):
        done = bash(commands, repository / inside, **job, **environment)
        ended[name] = done.returncode, done.stdout + done.stderr
    failed = {name: end for name, end in ended.items() if end[0] and name != "Grade"}
    assert failed == {}
    assert ended["Grade"][0] == 1, ended["Grade"][1]
    assert "::warning file=example.ipynb,title=q2" in ended["Grade"][1]
    result = (course / "GITHUB_OUTPUT").read_text().removeprefix("result=")
    points = json.loads(bash(f"echo {result.strip()} | base64 -d", course).stdout)
    assert (points["max_score"], points["tests"][0]["score"]) == (10, 4)
    assert "4 of 10 points" in (course / "GITHUB_STEP_SUMMARY").read_text()
    called = stand_ins.read_text()
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in called
    assert "--no-install-recommends bubblewrap uidmap" in called
    assert "pip install --quiet --disable-pip-version-check .[course]" in called


def test_github_s_first_step_says_which_variable_is_missing(course):
    repository = released(course, "--for-github-classroom")
    _, commands, _, _ = next(github_steps(repository, dict.fromkeys(_EXPRESSIONS, "")))
    done = bash(commands, repository, COURSE="")
    assert done.returncode != 0
    assert "set the variable PERFCOURSE_REPOSITORY to OWNER/NAME" in done.stderr


_EXPRESSIONS = [
    "${{ github.event.repository.name }}",
    "${{ vars.PERFCOURSE_REPOSITORY }}",
    "${{ secrets.PERFCOURSE_SECRET }}",
]


def in_gitlab(repository, **changed):
    job = yaml.safe_load((repository / GITLAB).read_text())["autograde"]
    known = {"CI_PROJECT_DIR": str(repository), "CI_PROJECT_PATH_SLUG": "class-ada"}
    group = {"GITLAB_CI": "true", "PERFCOURSE_REPOSITORY": "https://x.example/course.git"}
    commands = "\n".join([*job["before_script"], *job["script"]])
    return bash(commands, repository, **{**known, **group, **job["variables"], **changed})


@needs_sandbox
def test_gitlab_s_script_runs_and_leaves_its_artifacts(course, stand_ins):
    repository = released(course, "--for-gitlab")
    (course / "origin").mkdir()
    (course / "solutions").rename(course / "origin" / "solutions")
    (repository / "example.ipynb").write_bytes(notebook(RIGHT))
    job = yaml.safe_load((repository / GITLAB).read_text())["autograde"]
    done = in_gitlab(repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "4 of 10 points: not enough" in done.stdout
    artifacts = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((repository / name).stat().st_size for name in artifacts)
    assert json.loads((repository / "autograde.json").read_text())["fail_under"] == 60
    assert "bubblewrap git" in stand_ins.read_text()
    without = in_gitlab(repository, PERFCOURSE_REPOSITORY="")
    assert "set the CI/CD variable PERFCOURSE_REPOSITORY" in without.stderr


@needs_sandbox
def test_what_a_student_commits_is_neither_run_nor_taken_for_ours(course, stand_ins):
    repository = released(course, "--for-gitlab")
    (course / "origin").mkdir()
    (course / "solutions").rename(course / "origin" / "solutions")
    (repository / "example.ipynb").write_bytes(notebook("speedup = 1"))
    (course / "victim").write_text("as it was")
    for name in ("autograde.json", "autograde.xml.part", "autograde.md"):
        (repository / name).symlink_to(course / "victim")
    forged = "open('forged', 'w')"
    for name in ("pip.py", "perfcourse.py", "sitecustomize.py", ".course"):
        (repository / name).write_text(forged)
    done = in_gitlab(repository)
    assert done.returncode == 1, done.stderr
    assert (course / "victim").read_text() == "as it was"
    assert not list(course.rglob("forged"))
    assert json.loads((repository / "autograde.json").read_text())["earned"] == 0


@pytest.fixture
def whole(course):
    """The course with what it takes to install it."""
    for name in COURSE[:-1]:
        (course / name).write_text(name)
    (course / "src" / "perfmodel" / "__pycache__").mkdir(parents=True)
    (course / "src" / "perfmodel" / "__init__.py").write_text("")
    (course / "src" / "perfmodel" / "__pycache__" / "x.pyc").write_text("")
    return course


@needs_sandbox
def test_gradescope_s_scripts_run_as_it_runs_them(whole, stand_ins):
    folder = released(whole, "--for-gradescope")
    base = whole / "autograder"
    with zipfile.ZipFile(folder / "autograder.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        archive.extractall(base / "source")
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert not [name for name in modes if "__pycache__" in name or name.endswith("example.ipynb")]
    place = {"AUTOGRADER": str(base), "PREFIX": str(whole / "opt")}
    done = bash((base / "source" / "setup.sh").read_text(), whole, **place)
    assert done.returncode == 0, done.stderr
    assert f"uv pip install --quiet --python {whole}/opt/perfcourse" in stand_ins.read_text()

    run = (base / "source" / "run_autograder").read_text()
    (base / "submission").mkdir()
    (base / "submission" / "my answers.ipynb").write_bytes(notebook(RIGHT))
    users = {"users": [{"email": "ada@school.example"}]}
    (base / "submission_metadata.json").write_text(json.dumps(users))
    done = subprocess.run(["bash", "-c", run], env={**os.environ, **place}, capture_output=True)
    assert done.returncode == 0, done.stdout
    assert json.loads((base / "results" / "results.json").read_text())["score"] == 4


@needs_sandbox
def test_autolab_s_last_line_is_its_scores(whole):
    folder = released(whole, "--for-autolab")
    with tarfile.open(folder / "autograde.tar") as archive:
        assert "course/solutions/example.py" in archive.getnames()
    (folder / "handin.ipynb").write_bytes(notebook(RIGHT))
    path = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    make = ["make", "--silent", "-f", "autograde-Makefile"]
    done = subprocess.run(make, cwd=folder, env=path, capture_output=True, text=True)
    assert json.loads(done.stdout.splitlines()[-1])["scores"]["q1"] == 4, done.stderr
    (folder / "handin.ipynb").write_bytes(b"{")
    done = subprocess.run(make, cwd=folder, env=path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[-1])["scores"]["q1"] == 0


def test_archive_keeps_its_secret(whole):
    folder = released(whole, "--for-gradescope")
    secret = (folder / "secret.txt").read_text()
    released(whole, "--for-gradescope")
    assert (folder / "secret.txt").read_text() == secret


@pytest.mark.parametrize("system", ["autolab", "gradescope"])
def test_course_of_one_s_own_takes_the_source_that_is_installed(course, system, monkeypatch):
    """Such a course is a folder with `solutions/` and nothing else."""
    folder = released(course, f"--for-{system}")
    if system == "autolab":
        with tarfile.open(folder / "autograde.tar") as archive:
            names = archive.getnames()
    else:
        with zipfile.ZipFile(folder / "autograder.zip") as archive:
            names = archive.namelist()
    banks = {
        "course/solutions/example.py",
        "course/src/perfcourse/__main__.py",
        "course/pyproject.toml",
    }
    assert banks <= set(names)
    assert [name for name in names if name.startswith("course/solutions")] == [
        "course/solutions/example.py"
    ]
    monkeypatch.setattr(platforms.perfcourse, "__file__", str(course / "a" / "b" / "c" / "d.py"))
    result = CliRunner().invoke(main, ["release", "example", f"--for-{system}", "--out", "new"])
    assert result.exit_code == 1
    assert "needs the source of perfmodel, which is neither in" in result.output
    assert not (course / "new").exists()


def test_data_file_goes_along_and_what_is_hidden_stays_with_the_bank(whole):
    write_kinds(whole / "solutions")
    for system in ("gitlab", "autolab"):
        words = ["release", "kinds", f"--for-{system}", "--out", f"for-{system}"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
    files = {path.name for path in (whole / "for-gitlab" / "kinds").iterdir()}
    assert files == {"kinds.ipynb", "kinds.csv", ".gitlab-ci.yml"}
    with tarfile.open(whole / "for-autolab" / "kinds" / "autograde.tar") as archive:
        names = {name for name in archive.getnames() if "solutions" in name}
    beside_bank = ("kinds.py", "kinds.csv", "kinds-hidden.csv")
    assert names == {f"course/solutions/{name}" for name in beside_bank}
