import os
import subprocess
import sys
from contextlib import suppress

import pytest

from perfcourse.isolation.cgroup import LEAF, ROOT, delegated, make


@pytest.fixture
def tree(tmp_path):
    """A control group file system as the kernel would show it."""
    root = tmp_path / "cgroup"
    (root / "user").mkdir(parents=True)
    (root / "user" / "cgroup.controllers").write_text("cpu memory pids\n")
    (root / "user" / "cgroup.subtree_control").write_text("\n")
    (root / "user" / "cgroup.procs").write_text(f"{os.getpid()}\n")
    ours = tmp_path / "self"
    ours.write_text("1:name=old:/x\n0::/user\n")
    return root, ours


def test_delegated_group_is_found(tree):
    assert delegated(*tree) == tree[0] / "user"


def test_group_without_controllers_or_version_1_is_none(tree):
    root, ours = tree
    (root / "user" / "cgroup.controllers").write_text("cpu\n")
    assert delegated(root, ours) is None
    ours.write_text("3:memory:/user\n")
    assert delegated(root, ours) is None
    assert delegated(root, root / "missing") is None
    assert make(1, 1, None) is None


def test_group_gets_its_limits_and_the_process_joins(tree):
    group = make(2**30, 64, delegated(*tree))
    assert (group.path / "memory.max").read_text() == f"{2**30}\n"
    assert (group.path / "pids.max").read_text() == "64\n"
    done = subprocess.run(group.wrap(["/bin/sh", "-c", "echo $$"]), capture_output=True, check=True)
    assert (group.path / "cgroup.procs").read_text() == done.stdout.decode()


def test_a_group_with_others_in_it_is_not_ours_to_divide(tree):
    (tree[0] / "user" / "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    assert delegated(*tree) is None
    (tree[0] / "user" / "cgroup.subtree_control").write_text("memory pids\n")
    assert delegated(*tree) == tree[0] / "user", "divided already: nobody has to move"


def test_the_grader_makes_room_and_finds_its_group_again(tree):
    (tree[0] / "user" / "perfcourse-grader").mkdir()
    make(2**30, 64, delegated(*tree))
    moved = tree[0] / "user" / "perfcourse-grader"
    assert (moved / "cgroup.procs").read_text() == f"{os.getpid()}\n"
    assert (tree[0] / "user" / "cgroup.subtree_control").read_text() == "+memory +pids\n"
    tree[1].write_text("0::/user/perfcourse-grader\n")
    (tree[0] / "user" / "cgroup.procs").write_text("")
    assert delegated(*tree) == tree[0] / "user"


REAL = """
import os, sys
from pathlib import Path
from perfcourse.isolation import cgroup
root, name = Path(sys.argv[1]), sys.argv[2]
cgroup.CONTROLLERS = (sys.argv[3],)
folder = cgroup.delegated(root)
assert folder == root / name, folder
cgroup._divide(folder)
assert cgroup.delegated(root) == folder
(folder / "below").mkdir()
assert any(file.name.startswith(sys.argv[3]) for file in (folder / "below").iterdir())
(folder / "below").rmdir()
"""


def offered():
    """Return a root of control groups (version 2) with a controller it offers, or None."""
    for root in (ROOT, ROOT / "unified"):
        with suppress(OSError):
            names = set((root / "cgroup.controllers").read_text().split())
            for name in sorted(names & {"memory", "pids", "hugetlb"}):
                topmost = not (root / "cgroup.type").exists()
                if topmost and os.access(root / "cgroup.procs", os.W_OK):
                    return root, name
    return None


@pytest.mark.skipif(
    not offered() and "cgroup" not in os.environ.get("PERFCOURSE_REQUIRE", ""),
    reason="no control group (cgroup v2) here that we may divide; PERFCOURSE_REQUIRE=cgroup fails",
)
def test_the_kernel_lets_us_divide_a_real_group():
    """With any controller that this machine has on offer; the rules are the same for all."""
    root, name = offered()
    group = root / f"perfcourse-test-{os.getpid()}"
    before = (root / "cgroup.subtree_control").read_text().split()
    (root / "cgroup.subtree_control").write_text(f"+{name}\n")
    group.mkdir()
    join = f'echo $$ > {group}/cgroup.procs && exec "$@"'
    words = [sys.executable, "-c", REAL, str(root), group.name, name]
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", join, "join", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    finally:
        for folder in (group / LEAF, group):
            with suppress(OSError):
                folder.rmdir()
        if name not in before:
            (root / "cgroup.subtree_control").write_text(f"-{name}\n")


def test_refused_group_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    assert make(1, 1, tmp_path / "file") is None
