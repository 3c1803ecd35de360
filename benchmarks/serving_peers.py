"""Ask mlsysim and aiconfigurator for the public points; record their answers.

Run: pip install --no-deps --target FOLDER aiconfigurator-core==0.12.0
     python -m venv MLSYSIM && MLSYSIM/bin/pip install mlsysim==0.3.0
     python -m venv PEER && PEER/bin/pip install aiconfigurator==0.12.0
     python benchmarks/serving_peers.py FOLDER MLSYSIM/bin/python PEER/bin/python

mlsysim also answers the cells of TensorRT-LLM's table. The models' shapes are those of the config
files in aiconfigurator-core. aiconfigurator gets the number formats of the table's rows, too, and
is asked for every fifth point, since an answer takes it about a third of a second.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from public_points import CARDS, FILES

from perfmodel.labs.serving.token_time import peers
from perfmodel.machines import get
from perfmodel.readers.models import read_config
from perfmodel.serving.calibration.shipped import FOLDER, points

BANDWIDTH = {card: bandwidth for card, bandwidth, _ in CARDS.values()}
SYSTEM = {card: system for system, (card, _, _) in CARDS.items()}
EVERY = 5
"""Of so many points one is asked of aiconfigurator."""
MEMORY = {"b300-sxm": 288e9}
"""Bytes of the cards that the catalogue doesn't list; more than any of the runs needs."""


def main(folder: Path, mlsysim: str, aiconfigurator: str) -> None:
    """Write the seconds and tokens/s of the peers, and print their median errors."""
    configs = folder / "aiconfigurator_core" / "model_configs"
    with (FOLDER / "points.csv").open(encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file))
    cells = peers.cells()
    found = _ask(
        mlsysim,
        "mlsysim_times.py",
        [
            *(
                {
                    **_model(configs, FILES.get(run["model"], run["model"])),
                    **_devices(run["card"], int(run["tensor"])),
                    "precision": run["precision"],
                    "context": int(run["prompt"]) + int(run["output"]) // 2,
                    "running": int(run["concurrency"]),
                }
                for run in runs
            ),
            *(
                {
                    **_model(configs, f"meta-llama/Meta-Llama-3.1-{cell.model}"),
                    **_devices(cell.card, cell.devices),
                    "precision": "fp8",
                    "context": cell.prompt + cell.output,
                    "most": peers.MOST,
                }
                for cell in cells
            ),
        ],
    )
    seconds, rates = found[: len(runs)], found[len(runs) :]
    _write(peers.TIMES["mlsysim"], "seconds", seconds)
    _write(peers.RATES, "tokens_per_s", rates)
    table = _tables_rows(folder)
    served = [_served(run, table) for run in runs[::EVERY]]
    times: list[float | None] = [None] * len(runs)
    times[::EVERY] = _ask(aiconfigurator, "aiconfigurator_times.py", served)
    _write(peers.TIMES["aiconfigurator"], "seconds", times)
    measured = points().time_per_token
    for name, answers in {"mlsysim": seconds, "aiconfigurator": times}.items():
        errors = np.abs(np.array(answers, float) / measured - 1)
        known = np.isfinite(errors)
        print(name, known.sum(), "times per token, median error", np.median(errors[known]))
    full = np.array(rates, float) / [cell.measured for cell in cells]
    print("mlsysim", len(cells), "cells, median error", np.median(np.abs(full - 1)))


def _tables_rows(folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the rows of aiconfigurator's table by model and times."""
    path = folder / "aiconfigurator_core" / "systems" / "silicon_sample.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (
            row["model_path"],
            *(f"{float(row[f'silicon_{name}_ms']) / 1e3:.6g}" for name in ("tpot", "ttft")),
        ): row
        for row in reversed(rows)
    }


def _served(run: dict[str, str], table: dict[tuple[str, ...], dict[str, str]]) -> dict[str, Any]:
    """Return what aiconfigurator is asked for a public point."""
    row = table[run["model"], run["time_per_token"], run["time_to_first_token"]]
    devices, dealt = int(run["tensor"]), int(row["moe_ep_size"] or 1)
    asked: dict[str, Any] = {
        "backend_name": run["engine"],
        "isl": int(run["prompt"]),
        "osl": int(run["output"]),
        "batch_size": int(run["concurrency"]),
        "tp_size": devices,
    }
    modes = ["gemm_quant_mode"]
    if float(run["expert"]) > 0:
        asked |= {"moe_ep_size": dealt, "moe_tp_size": devices // dealt}
        modes.append("moe_quant_mode")
    asked |= {mode: row[mode] for mode in modes if row[mode]}
    model = FILES.get(run["model"], run["model"])
    return {"model": model, "system": SYSTEM[run["card"]], "run": asked}


def _ask(python: str, name: str, asked: list[dict[str, Any]]) -> list[float | None]:
    script = Path(__file__).parent / "peers" / name
    ran = subprocess.run(
        [python, script], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    answers: list[float | None] = json.loads(ran.stdout)
    return answers


def _model(configs: Path, name: str) -> dict[str, Any]:
    path = configs / f"{name.replace('/', '--')}_config.json"
    config = json.loads(path.read_text())
    config = config.get("text_config", config)
    shape = {
        "layers": config["num_hidden_layers"],
        "hidden_dim": config["hidden_size"],
        "heads": config["num_attention_heads"],
        "kv_heads": config.get("num_key_value_heads"),
        "head_dim": config.get("head_dim"),
        "kv_lora_rank": config.get("kv_lora_rank"),
        "qk_rope_head_dim": config.get("qk_rope_head_dim"),
    }
    parameters = read_config(path).shape.parameters
    return {"model": name, "parameters": parameters, "shape": list(shape), **shape}


def _devices(card: str, count: int) -> dict[str, float]:
    memory = MEMORY[card] if card in MEMORY else get(card).memory_capacity
    return {"bandwidth": BANDWIDTH[card] * count, "memory": memory * count}


def _write(path: Path, header: str, answers: list[float | None]) -> None:
    """Write a column of answers, `nan` where there is none."""
    lines = [header, *(f"{float('nan') if one is None else one:.6g}" for one in answers)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path.name, len(answers))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:4])
