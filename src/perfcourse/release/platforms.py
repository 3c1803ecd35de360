"""What each system that grades at hand-in needs, as files that work as they are.

GitHub Classroom and GitLab get the repository that students start from; Gradescope and Autolab get
an archive of the course, with the one question bank that they grade with.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import perfcourse
from perfcourse.bank.loader import load
from perfcourse.release.assignment import release
from perfcourse.release.data_files import bank_files, copy_files
from perfcourse.release.secret import SECRET, kept_secret
from perfcourse.report.files import write, write_bytes

REPOSITORIES = {
    "github-classroom": {"github-classroom.yml": ".github/workflows/classroom.yml"},
    "gitlab": {"gitlab-ci.yml": ".gitlab-ci.yml"},
}
"""Our files by system, and where they belong in a student's repository."""
COURSE = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-CONTENT", "src")
"""What it takes to install the course."""
_TOPIC = re.compile(r"(?m)^(\s*TOPIC ?[:=] ?)scaling$")
_EXECUTABLE = 0o755 << 16


def template(name: str, topic: str) -> str:
    """Return a file of `perfcourse/release/ci`, for a topic."""
    text = (resources.files("perfcourse.release") / "ci" / name).read_text(encoding="utf-8")
    return _TOPIC.sub(rf"\g<1>{topic}", text)


def write_platform(system: str, topic: str, root: Path, out: Path) -> Path:
    """Write what a system needs into a folder; return the path of what to hand to it.

    `system` is `github-classroom`, `gitlab`, `gradescope` or `autolab`; an archive of the course
    needs its whole folder as `root`.
    """
    if system == "gradescope":
        return write_gradescope(topic, root, out)
    if system == "autolab":
        return write_autolab(topic, root, out)
    return write_repository(system, topic, root, out)


def write_repository(system: str, topic: str, root: Path, out: Path) -> Path:
    """Write what students start from, notebook and job; return the folder."""
    write(out / f"{topic}.ipynb", release(topic, root, leaves=True))
    copy_files(load(root / "solutions" / f"{topic}.py"), out)
    for name, target in REPOSITORIES[system].items():
        write(out / target, template(name, topic))
    return out


def write_gradescope(topic: str, root: Path, out: Path) -> Path:
    """Write `OUT/autograder.zip` for Gradescope; return its path."""
    data = io.BytesIO()
    course = list(_course(root, topic))
    kept_secret(out)
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = _EXECUTABLE
            archive.writestr(entry, template(f"gradescope-{name}", topic))
        archive.write(out / SECRET, SECRET)
        for path, place in course:
            archive.write(path, f"course/{place}")
    write_bytes(out / "autograder.zip", data.getvalue())
    return out / "autograder.zip"


def write_autolab(topic: str, root: Path, out: Path) -> Path:
    """Write `OUT/autograde.tar` and `OUT/autograde-Makefile`; return the latter's path."""
    data = io.BytesIO()
    course = list(_course(root, topic))
    kept_secret(out)
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.add(out / SECRET, SECRET)
        for path, name in course:
            archive.add(path, f"course/{name}")
    write_bytes(out / "autograde.tar", data.getvalue())
    write(out / "autograde-Makefile", template("autolab-Makefile", topic))
    return out / "autograde-Makefile"


def _course(root: Path, topic: str) -> Iterator[tuple[Path, str]]:
    """Yield what installs the course, and the topic's bank with its data: path and place."""
    source = _source(root)
    solutions = root / "solutions"
    for name in COURSE:
        for path in (source / name, *sorted((source / name).rglob("*"))):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, str(path.relative_to(source))
    for name in bank_files(solutions / f"{topic}.py"):
        yield solutions / name, f"solutions/{name}"


def _source(root: Path) -> Path:
    """Return the folder of the packages' source: the course's, or the one they are installed from.

    A course of one's own is a folder with `solutions/` alone.
    """
    for folder in (root, Path(perfcourse.__file__).parents[2]):
        missing = [name for name in COURSE if not (folder / name).exists()]
        if not missing:
            return folder
    raise ValueError(
        f"needs the source of perfmodel, which is neither in {root} nor installed here from its "
        "folder: unpack perfmodel's tar.gz, install it by pip install -e, and release again"
    )
