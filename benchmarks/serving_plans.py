"""Plans of serving a second, next to aiconfigurator's estimates of the same plans, in one run.

Run: python -m venv FOLDER && FOLDER/bin/pip install aiconfigurator==0.12.0
     python benchmarks/serving_plans.py FOLDER/bin/python

Both get Qwen3-32B-FP8 on H200 with TensorRT-LLM: 1 to 8 devices that share each layer, and 1 to 100
requests at once. aiconfigurator adds up tables of measured kernels and gives the time to first
token as well; this package fits seven numbers to public runs. In turn, processor time, best of all
rounds. The times per token that both find are printed side by side.
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
from perfmodel.readers.models import read_config
from perfmodel.serving.calibration.plans import Device, serving_plans
from perfmodel.serving.calibration.shipped import calibration

COUNTS, BATCHES, ROUNDS, LEAST = (1, 2, 4, 8), np.arange(1, 101), 5, 100.0
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
database = get_database("h200_sxm", "trtllm", get_latest_database_version("h200_sxm", "trtllm"))
best, found = float("inf"), {}
for _ in range(%d):
    began = time.process_time()
    for devices in %r:
        asked = config.ModelConfig(
            tp_size=devices, pp_size=1, moe_tp_size=1, moe_ep_size=1, attention_dp_size=1)
        model = get_model("Qwen/Qwen3-32B-FP8", asked, "trtllm")
        session = InferenceSession(model, database, get_backend("trtllm"))
        for batch in range(1, 101):
            run = config.RuntimeConfig(batch_size=batch, isl=1024, osl=256)
            tpot = session.run_agg(run, ctx_tokens=1024).get_summary_df()["tpot"].iloc[0]
            found[f"{devices} {batch}"] = float(tpot)
    best = min(best, time.process_time() - began)
print(json.dumps({"seconds": best, "found": found, "folder": aiconfigurator_core.__path__[0]}))
"""


def main(python: str) -> int:
    """Print one table and return 1 if the bar is missed."""
    ran = subprocess.run(
        [python, "-c", PEER % (ROUNDS, COUNTS)], capture_output=True, text=True, check=True
    )
    peer = json.loads(ran.stdout.splitlines()[-1])
    file = Path(peer["folder"]) / "model_configs" / "Qwen--Qwen3-32B-FP8_config.json"
    model, machine = read_config(file), get("h200-sxm-141gb")
    device = Device(
        machine.memory_bandwidth,
        machine.peak("fp8"),
        0.9 * machine.memory_capacity,
        model.weights.bytes_of(model.shape),
        lambda tokens: model.weights.read_bytes(model.shape, tokens),
        calibration(machine.id, "trtllm")[0],
    )
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        plans = serving_plans(
            model.shape, [device], prompt=1024, output=256, counts=COUNTS, concurrency=BATCHES
        )
        best = min(best, time.process_time() - began)
    count = len(COUNTS) * BATCHES.size
    rates = {"aiconfigurator 0.12": count / peer["seconds"], "perfmodel": count / best}
    table = Table("who", "plans", "plans/s")
    for who, rate in rates.items():
        table.add_row(who, str(count), f"{rate:,.0f}")
    Console(width=80).print(table)
    for devices, batch in SHOWN:
        at = (plans.count == devices) & (plans.concurrency == batch)
        ours, theirs = 1e3 * float(plans.seconds[at][0]), peer["found"][f"{devices} {batch}"]
        print(f"{devices} devices, {batch} requests: {ours:.1f} ms, aiconfigurator {theirs:.1f} ms")
    ratio = rates["perfmodel"] / rates["aiconfigurator 0.12"]
    print(f"ratio {ratio:,.0f}; bar: {LEAST:.0f}")
    return int(ratio < LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
