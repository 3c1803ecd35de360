"""What a machine can't close: each part of the wall, and what its absence would let through."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace

from perfcourse.isolation import cgroup
from perfcourse.isolation.sandbox import NOT_INSTALLED, Sandbox, cores
from perfcourse.kernel.calls import filter_program

COMES_WITH_IT = "comes with the sandbox."


@dataclass(frozen=True)
class Finding:
    """A part of the wall, whether this machine has it, and what is to be known where it hasn't."""

    part: str
    there: bool
    advice: str = ""
    needed: bool = False
    """Whether grading others' work is refused without it."""


def _how_to_get(sandbox: Sandbox) -> str:
    if sandbox.problem == NOT_INSTALLED:
        return "Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap."
    return (
        "bubblewrap is there, but this machine blocks it. Allow user namespaces (sysctl "
        "user.max_user_namespaces, kernel.unprivileged_userns_clone and "
        "kernel.apparmor_restrict_unprivileged_userns; in a container "
        "docker run --security-opt seccomp=unconfined)."
    )


def _how_to_get_ids() -> str:
    if os.geteuid() == 0:
        return (
            "Allow root to assign user ids (docker run --cap-add SYS_ADMIN), in a container or a "
            "virtual machine that holds nothing else."
        )
    return (
        "To get user ids, run apt-get install uidmap. Give your name a line of at least 65536 ids "
        "in /etc/subuid and in /etc/subgid (usermod --add-subuids 100000-165535 "
        "--add-subgids 100000-165535 NAME). Install Python where all users can read it."
    )


def _of_the_sandbox(sandbox: Sandbox) -> list[Finding]:
    """Return the parts that the sandbox brings with it, on some machines."""
    parts = [
        Finding(
            "system call filter",
            bool(filter_program(os.uname().machine)),
            "none for this processor. Two submissions can talk by locks and leases on files that "
            "both read, and rarely used system calls are open. Grade on x86-64 or arm64.",
        ),
        Finding(
            "a user id for each submission",
            sandbox.own_uids,
            "submissions share one. A submission can use up what the kernel grants a user, such as "
            f"room for pipes, and slow another one down. {_how_to_get_ids()}",
        ),
        Finding(
            "limit on processes",
            sandbox.counted,
            "the kernel has none for root. A watch stops a submission that starts too many "
            "processes, but it can slow everything down for some seconds first. Allow root to "
            "assign user ids (docker run --cap-add SYS_ADMIN), or install Python where the user "
            "nobody can read it, too.",
        ),
    ]
    if sandbox.bwrap:
        return parts
    return [replace(part, there=False, advice=COMES_WITH_IT) for part in parts[:2]] + parts[2:]


def findings(sandbox: Sandbox) -> list[Finding]:
    """Return what `doctor` has to say of this machine, the wall's parts from outside in."""
    return [
        Finding(
            "sandbox",
            bool(sandbox.bwrap),
            f"without it a submission can do everything that you can. {_how_to_get(sandbox)} "
            "On macOS and Windows grade inside a Linux virtual machine.",
            needed=True,
        ),
        *_of_the_sandbox(sandbox),
        Finding(
            "control group (cgroup v2)",
            cgroup.delegated() is not None,
            "not delegated. Each process still has its limits, and a watch looks at the whole "
            "submission up to 200 times a second. Between two looks its memory can pass the limit "
            "for a moment. With systemd: "
            "systemd-run --user --scope -p Delegate=yes perfcourse grade ...",
        ),
        Finding(
            "cluster",
            importlib.util.find_spec("distributed") is not None,
            "for --cluster: pip install 'perfmodel[course,cluster]'",
        ),
        Finding(f"{cores()} cores: one submission per core at a time", True),
    ]
