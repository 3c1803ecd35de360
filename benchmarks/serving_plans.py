"""Plans of serving a second, next to aiconfigurator's estimates of the same plans, in one run.

Run: python -m venv FOLDER && FOLDER/bin/pip install aiconfigurator==0.12.0
     python benchmarks/serving_plans.py FOLDER/bin/python

Both get 10,000 plans for Qwen3-32B-FP8 with TensorRT-LLM: H100 and H200, 1 to 8 devices that share
each layer, and 1 to 1,250 requests at once; both rank them by tokens/s and device within 20 ms a
token. aiconfigurator adds up tables of measured kernels and gives the time to first token as well;
this package fits six numbers to public runs and leaves out what doesn't fit into memory. Processor
time, best of all rounds. The times per token that both find are printed side by side.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.machines import get
from perfmodel.readers.models import ModelFile, read_config
from perfmodel.serving.calibration.plans import Device, serving_plans
from perfmodel.serving.calibration.shipped import calibration

MACHINES = {"h100_sxm": "h100-sxm5-80gb", "h200_sxm": "h200-sxm-141gb"}
COUNTS, MOST, WITHIN, ROUNDS, LEAST = (1, 2, 4, 8), 1250, 0.02, 5, 100.0
SHOWN = ((1, 64), (2, 64), (4, 64), (8, 64))
PEER = """
import json, logging, sys, time, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import aiconfigurator_core
from aiconfigurator_core.sdk import config
from aiconfigurator_core.sdk.backends.factory import get_backend
from aiconfigurator_core.sdk.models import get_model
from aiconfigurator_core.sdk.perf_database import get_database, get_latest_database_version
from aiconfigurator.sdk.inference_session import InferenceSession
systems, counts, most, within = json.loads(sys.argv[1])
databases = {
    one: get_database(one, "trtllm", get_latest_database_version(one, "trtllm")) for one in systems}
found = {}
began = time.process_time()
for system in systems:
    for devices in counts:
        asked = config.ModelConfig(
            tp_size=devices, pp_size=1, moe_tp_size=1, moe_ep_size=1, attention_dp_size=1)
        model = get_model("Qwen/Qwen3-32B-FP8", asked, "trtllm")
        session = InferenceSession(model, databases[system], get_backend("trtllm"))
        for batch in range(1, most + 1):
            run = config.RuntimeConfig(batch_size=batch, isl=1024, osl=256)
            tpot = session.run_agg(run, ctx_tokens=1024).get_summary_df()["tpot"].iloc[0]
            found[system, devices, batch] = float(tpot)
kept = [one for one, tpot in found.items() if tpot <= 1e3 * within]
ranked = sorted(kept, key=lambda one: -one[2] / found[one] / one[1])
seconds = time.process_time() - began
times = {" ".join(map(str, one)): tpot for one, tpot in found.items()}
print(json.dumps({"seconds": seconds, "found": times, "folder": aiconfigurator_core.__path__[0]}))
"""


def main(python: str) -> int:
    """Print one table and return 1 if the bar is missed."""
    asked = json.dumps([list(MACHINES), COUNTS, MOST, WITHIN])
    ran = subprocess.run([python, "-c", PEER, asked], capture_output=True, text=True, check=True)
    peer = json.loads(ran.stdout.splitlines()[-1])
    file = Path(peer["folder"]) / "model_configs" / "Qwen--Qwen3-32B-FP8_config.json"
    model = read_config(file)
    devices = [_device(model, machine) for machine in MACHINES.values()]
    best, loads = float("inf"), np.arange(1, MOST + 1)
    for _ in range(ROUNDS):
        began = time.process_time()
        plans = serving_plans(
            model.shape, devices, prompt=1024, output=256, counts=COUNTS, concurrency=loads
        )
        plans.best(WITHIN)
        best = min(best, time.process_time() - began)
    count = len(peer["found"])
    rates = {"aiconfigurator 0.12": count / peer["seconds"], "perfmodel": count / best}
    table = Table("who", "plans", "plans/s")
    for who, rate in rates.items():
        table.add_row(who, f"{count:,}", f"{rate:,.0f}")
    Console(width=80).print(table)
    for number, batch in SHOWN:
        at = (plans.device == 1) & (plans.count == number) & (plans.concurrency == batch)
        ours, theirs = (
            1e3 * float(plans.seconds[at][0]),
            peer["found"][f"h200_sxm {number} {batch}"],
        )
        print(f"{number} H200, {batch} requests: {ours:.1f} ms, aiconfigurator {theirs:.1f} ms")
    ratio = rates["perfmodel"] / rates["aiconfigurator 0.12"]
    print(f"ratio {ratio:,.0f}; bar: {LEAST:.0f}")
    return int(ratio < LEAST)


def _device(model: ModelFile, name: str) -> Device:
    machine = get(name)
    return Device(
        machine.memory_bandwidth,
        machine.peak("fp8"),
        0.9 * machine.memory_capacity,
        model.weights.bytes_of(model.shape),
        lambda tokens: model.weights.read_bytes(model.shape, tokens),
        calibration(machine.id, "trtllm")[0],
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
