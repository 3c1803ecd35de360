import subprocess

import pytest

from perfcourse.isolation.cgroup import delegated, make


@pytest.fixture
def tree(tmp_path):
    """A control group file system as the kernel would show it."""
    root = tmp_path / "cgroup"
    (root / "user").mkdir(parents=True)
    (root / "user" / "cgroup.subtree_control").write_text("cpu memory pids\n")
    ours = tmp_path / "self"
    ours.write_text("1:name=old:/x\n0::/user\n")
    return root, ours


def test_delegated_group_is_found(tree):
    assert delegated(*tree) == tree[0] / "user"


def test_group_without_controllers_or_version_1_is_none(tree):
    root, ours = tree
    (root / "user" / "cgroup.subtree_control").write_text("cpu\n")
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


def test_refused_group_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    assert make(1, 1, tmp_path / "file") is None
