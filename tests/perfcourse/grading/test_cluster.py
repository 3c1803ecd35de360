import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from building import notebook
from click.testing import CliRunner

from perfcourse.commands.cli import main
from perfcourse.grading import cluster as cluster_module
from perfcourse.grading.cluster import AHEAD, grade_on_cluster
from perfcourse.grading.engine import Settings, grade_here
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.trial import find_sandbox

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytest.importorskip("dask_jobqueue")  # before its settings are changed: it brings the defaults
pytestmark = pytest.mark.skipif(not find_sandbox().bwrap, reason="no sandbox on this machine")

HERE = Path(__file__).parents[1]
SETTINGS = Settings(str(HERE / "example.py"), "a secret", preload=())
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
CELLS = [[RIGHT], ["q2 = 1.0"], ["1 / 0", RIGHT], ["import os; os._exit(1)"]]


def handins(count):
    return [
        Handin(f"s{n}.ipynb", f"s{n}", notebook(*CELLS[n % 4]), f"s{n}.ipynb") for n in range(count)
    ]


def graded(results):
    return {result.name: (result.verdicts, result.problem, result.errors) for result in results}


@pytest.mark.usefixtures("shared")
def test_lost_worker_costs_nobody_a_grade():
    expected = graded(grade_here(handins(12), SETTINGS))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        got = {}
        for result in grade_on_cluster(handins(12), SETTINGS, cluster.scheduler_address):
            got |= graded([result])
            if len(got) == 3:
                with distributed.Client(cluster.scheduler_address) as client:
                    victim = next(iter(client.run(os.getpid).values()))
                os.kill(victim, signal.SIGKILL)
    assert got == expected
    assert len(got) == 12


@contextmanager
def by_hand(port):
    """Start a scheduler and a worker as the page says; give the scheduler's process."""
    at = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    alone = ("--nthreads", "1", "--no-dashboard", "--no-nanny")
    with ExitStack() as stack:
        processes = [
            subprocess.Popen([sys.executable, "-m", "dask", *words], stderr=subprocess.DEVNULL)
            for words in (["scheduler", *at], ["worker", f"tcp://127.0.0.1:{port}", *alone])
        ]
        for process in processes:
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield processes[0]


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_scheduler_that_dies_in_mid_batch_loses_nothing(course, port, monkeypatch):
    (course / "in").mkdir()
    for handin in handins(12):
        (course / "in" / handin.name).write_bytes(handin.data)
    command = ["grade", "in", "--cluster", f"tcp://127.0.0.1:{port}"]
    arrived = []

    def arriving(record):
        arrived.append(record["name"])
        if len(arrived) == 3:
            scheduler.kill()
        return from_record(record)

    from_record = cluster_module.from_record
    monkeypatch.setattr(cluster_module, "from_record", arriving)
    with by_hand(port) as scheduler:
        stopped = CliRunner().invoke(main, command)
    assert stopped.exit_code == 1
    last = stopped.output.splitlines()[-1]
    assert last.startswith(f"Error: the scheduler of --cluster tcp://127.0.0.1:{port} is gone.")
    kept = len((course / "in-graded" / "journal.jsonl").read_text().splitlines())
    assert 3 <= kept < 12

    with by_hand(port):
        again = CliRunner().invoke(main, command)
    assert f"12 submissions, {12 - kept} graded now" in again.output
    assert len(set(arrived)) == len(arrived) == 12


@pytest.mark.usefixtures("shared")
def test_local_cluster_gives_the_same_grades():
    expected = graded(grade_here(handins(6), SETTINGS))
    assert graded(grade_on_cluster(handins(6), SETTINGS, "local", workers=2)) == expected


@pytest.mark.usefixtures("shared")
def test_workers_that_come_late_get_work_too():
    taken = []

    def source():
        for handin in handins(30):
            taken.append(handin.name)
            yield handin

    options = {"threads_per_worker": 1, "dashboard_address": None, "processes": False}
    with distributed.LocalCluster(n_workers=0, **options) as cluster:
        grading = grade_on_cluster(source(), SETTINGS, cluster.scheduler_address)
        with distributed.Client(cluster.scheduler_address) as client:
            cluster.scale(4)
            client.wait_for_workers(4)
            next(grading)
            next(grading)
        assert len(taken) == 1 + AHEAD * 4
        assert len(list(grading)) == 28


def test_unknown_place_is_refused():
    with pytest.raises(ValueError, match=r"--cluster must be local, .* got 'moon'"):
        list(grade_on_cluster(handins(1), SETTINGS, "moon"))


def test_queue_without_jobqueue_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(ValueError, match=r"--cluster slurm needs: pip install 'perfmodel\[course,"):
        list(grade_on_cluster(handins(1), SETTINGS, "slurm"))


def batch_system(monkeypatch, tmp_path, sbatch):
    """Describe a batch system whose `sbatch` is this script."""
    (tmp_path / "sbatch").write_text(f"#!/bin/sh\n{sbatch}\n")
    (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    jobs = {"jobqueue.slurm.cores": 1, "jobqueue.slurm.memory": "1GB"}
    return dask.config.set({**jobs, "distributed.scheduler.dashboard.address": ":0"})


def test_refused_job_ends_in_what_the_batch_system_said(monkeypatch, tmp_path):
    refusal = "echo 'sbatch: error: invalid partition specified: nowhere' >&2; exit 1"
    with (
        batch_system(monkeypatch, tmp_path, refusal),
        pytest.raises(ValueError, match="--cluster slurm got no jobs: sbatch: error: invalid part"),
    ):
        list(grade_on_cluster(handins(1), SETTINGS, "slurm", workers=1))


def test_interface_that_is_not_there_is_named(monkeypatch, tmp_path):
    with (
        batch_system(monkeypatch, tmp_path, "exit 1"),
        dask.config.set({"jobqueue.slurm.interface": "ib7"}),
        pytest.raises(ValueError, match="--cluster slurm got no jobs: .*'ib7' is not a valid"),
    ):
        list(grade_on_cluster(handins(1), SETTINGS, "slurm", workers=1))
