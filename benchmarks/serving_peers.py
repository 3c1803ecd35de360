"""Ask mlsysim for the public points and the cells of TensorRT-LLM's table; record its answers.

Run: pip install --no-deps --target FOLDER aiconfigurator-core==0.12.0
     python -m venv PEER && PEER/bin/pip install mlsysim==0.3.0
     python benchmarks/serving_peers.py FOLDER PEER/bin/python

The models' shapes are those of the config files in aiconfigurator-core.
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
MEMORY = {"b300-sxm": 288e9, "gb200": 192e9, "gb300": 288e9}
"""Bytes of the cards that the catalogue doesn't list; more than any of the runs needs."""


def main(folder: Path, python: str) -> None:
    """Write mlsysim's seconds and tokens/s, and print both median errors."""
    configs = folder / "aiconfigurator_core" / "model_configs"
    with (FOLDER / "points.csv").open(encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file))
    cells = peers.cells()
    found = _ask(
        python,
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
    _write(peers.TIMES, ["seconds"], [[f"{one:.6g}"] for one in seconds])
    _write(peers.RATES, ["tokens_per_s"], [[f"{one:.6g}"] for one in rates])
    measured = points().time_per_token
    print("time per token", np.median(np.abs(np.array(seconds) / measured - 1)))
    print(
        "cells",
        np.median([abs(r / cell.measured - 1) for r, cell in zip(rates, cells, strict=True)]),
    )


def _ask(python: str, asked: list[dict[str, Any]]) -> list[float]:
    script = Path(__file__).parent / "peers" / "mlsysim_times.py"
    ran = subprocess.run(
        [python, script], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    answers: list[float] = json.loads(ran.stdout)
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


def _write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    print(path.name, len(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
