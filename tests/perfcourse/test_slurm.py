"""The page's recipe for SLURM, on a real slurmctld and slurmd of one machine.

Needs root, munge and slurm-wlm, and starts daemons: runs where PERFCOURSE_REQUIRE names `slurm`.
"""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml
from building import notebook
from required import required

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "book" / "instructors" / "cluster.md"
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
pytestmark = pytest.mark.skipif(
    not required("slurm"), reason="daemons only where they are asked for"
)

CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=2000
PartitionName=compute Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    with ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in free:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in free]


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """One machine as a cluster: a controller, a node, and whom they trust."""
    folder = tmp_path / "slurm"
    (folder / "spool").mkdir(parents=True)
    os.chmod(folder, 0o711)
    (folder / "munge.key").write_bytes(os.urandom(64))
    (folder / "munge.key").chmod(0o600)
    cores, host = os.cpu_count(), socket.gethostname().partition(".")[0]
    text = CONFIGURATION.format(host=host, folder=folder, ports=free_ports(2), cores=cores)
    (folder / "slurm.conf").write_text(text)
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
    names = {name: folder / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
    trust = ["munged", "--foreground", "--force", f"--key-file={folder}/munge.key"]
    trust += [f"--{'socket' if n == 'socket' else f'{n}-file'}={path}" for n, path in names.items()]
    with ExitStack() as stack:
        for command in (trust, ["slurmctld", "-D", "-c"], ["slurmd", "-D"]):
            with (folder / f"{command[0]}.log").open("wb") as log:
                running = subprocess.Popen(command, stdout=log, stderr=log)
            stack.callback(running.wait, 30)
            stack.callback(running.terminate)
            time.sleep(0.5)
        wait_for_node()
        yield folder


def wait_for_node():
    for _ in range(120):
        done = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True)
        if done.stdout.strip() == "idle":
            return
        time.sleep(0.5)
    raise AssertionError(f"no node is ready: {done.stdout}{done.stderr}")


def recipe(course):
    """Return the page's configuration, for a site of one small machine."""
    block = re.search(r"```yaml\n(jobqueue:.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    written = yaml.safe_load(block[1])
    site = {"cores": 2, "processes": 2, "memory": "1GB", "interface": "lo"}
    written["jobqueue"]["slurm"] |= {**site, "job-script-prologue": [f"cd {course}"]}
    return yaml.safe_dump(written)


def test_recipe_of_the_page_grades_on_a_real_slurm(course, slurm, monkeypatch):
    (course / "settings").mkdir()
    (course / "settings" / "jobqueue.yaml").write_text(recipe(course))
    monkeypatch.setenv("DASK_CONFIG", str(course / "settings"))
    (course / "in").mkdir()
    for number in range(6):
        cells = [RIGHT] if number % 2 else ["q2 = 1.0"]
        (course / "in" / f"s{number}.ipynb").write_bytes(notebook(*cells))
    grade = [sys.executable, "-m", "perfcourse", "grade", "in", "--secret", "x"]
    here = subprocess.run([*grade, "--out", "here"], capture_output=True, text=True)
    assert here.returncode == 0, here.stderr
    words = ["--out", "there", "--cluster", "slurm", "--workers", "1"]
    there = subprocess.run([*grade, *words], capture_output=True, text=True, timeout=120)
    assert there.returncode == 0, there.stdout + there.stderr
    assert "6 submissions, 6 graded now" in there.stdout
    tables = [(course / name / "grades.csv").read_text() for name in ("here", "there")]
    assert tables[0] == tables[1]
    jobs = subprocess.run(["squeue", "-h", "-t", "R,PD"], capture_output=True, text=True)
    assert jobs.stdout == ""
    doctor = subprocess.run(
        ["srun", sys.executable, "-m", "perfcourse", "doctor"], capture_output=True, text=True
    )
    assert "✔ sandbox" in doctor.stdout
