"""Rebuild the public points and the calibrations from aiconfigurator-core's table (PyPI).

Run: pip install --no-deps --target FOLDER aiconfigurator-core==0.12.0
     python benchmarks/public_points.py FOLDER
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from perfmodel.readers.configs.weight_formats import WeightFormat
from perfmodel.readers.models import ModelFile, read_config
from perfmodel.serving.calibration.shipped import FOLDER, calibrations_of, own_runs_of, points
from perfmodel.serving.calibration.token_time import prompt_operations, step_terms

FILES = {
    "meta-llama/Llama-3.1-8B-Instruct": "meta-llama/Meta-Llama-3.1-8B",
    "nvidia/Llama-3.1-8B-Instruct-FP8": "meta-llama/Meta-Llama-3.1-8B",
    "meta-llama/Llama-3.1-70B": "meta-llama/Meta-Llama-3.1-70B",
    "zhipuai/GLM-5": "zai-org/GLM-5",
}
CARDS = {
    "h100_sxm": ("h100-sxm5-80gb", 3.35e12, 989e12),
    "h200_sxm": ("h200-sxm-141gb", 4.8e12, 989e12),
    "b200_sxm": ("b200-sxm-180gb", 8e12, 2.25e15),
    "b300_sxm": ("b300-sxm", 8e12, 2.25e15),
}
"""The cards by their names in the table. GB200 isn't among them: its rows state 12 to 72 devices,
most of which can't share 128 heads evenly, so they add up the devices of several pools."""
SAME = (
    "card", "engine", "precision", "tensor", "concurrency", "prompt", "output", "time_per_token",
    "time_to_first_token",
)  # fmt: skip
"""Columns that tell one run from another, at six digits of its times."""
BYTES = {"": 2.0, "fp8": 1.0, "fp8_block": 1.0, "nvfp4": 0.5625, "int4_wo": 0.5625}


def main(folder: Path) -> None:
    """Write `points.csv`, `calibrations.csv` and `own_runs.csv`."""
    package = folder / "aiconfigurator_core"
    models: dict[str, ModelFile | None] = {}
    rows = []
    with (package / "systems/silicon_sample.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            name = FILES.get(row["model_path"], row["model_path"])
            if name not in models:
                path = package / "model_configs" / f"{name.replace('/', '--')}_config.json"
                try:
                    models[name] = read_config(path)
                except ValueError:
                    models[name] = None
            model = models[name]
            if model is not None and (point := _point(row, model)):
                rows.append(point)
    rows = _distinct(sorted(rows, key=lambda row: [str(value) for value in row.values()]))
    _write(FOLDER / "points.csv", rows)
    points.cache_clear()
    _write(FOLDER / "calibrations.csv", calibrations_of(points()))
    _write(
        FOLDER / "own_runs.csv",
        [
            {
                "runs": one.runs,
                "error": f"{one.error:.4g}",
                "low": f"{one.quantiles[0]:.4g}",
                "high": f"{one.quantiles[1]:.4g}",
            }
            for one in own_runs_of(points())
        ],
    )


def _distinct(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return each run once: the table repeats some by another date, version or name of a model."""
    once: dict[tuple[object, ...], dict[str, object]] = {}
    for row in rows:
        known = once.setdefault(tuple(row[name] for name in SAME), row)
        known["version"] = known["version"] or row["version"]
    return list(once.values())


def _point(row: dict[str, str], model: ModelFile) -> dict[str, object] | None:
    shape, mixture = model.shape, bool(model.shape.routed_parameters)
    tensor, batch = int(row["tp_size"] or 0), int(row["batch_size"] or 0)
    split, experts = int(row["moe_tp_size"] or 1), int(row["moe_ep_size"] or 1)
    parts = split * experts
    if split == experts and tensor == parts:
        # n devices that cut tensors and deal experts n ways are stated as n * n: the row's name
        # says "tp8_ep8" where it says 64, and many of these runs stand in the table with 8, too.
        tensor = parts = split
    stated = re.search(r"silicon_concurrency=(\d+)", row["silicon_data_source"])
    whole = row["mode"] == "agg" and row["attention_dp_size"] in ("", "1")
    if row["system"] not in CARDS:
        return None
    if not whole or row["pp_size"] not in ("", "1") or (mixture and parts != tensor):
        return None
    if stated is None or int(stated[1]) != batch:
        return None
    card, bandwidth, peak = CARDS[row["system"]]
    weights = _weights(row, mixture)
    prompt, output = int(row["isl"]), int(row["osl"])
    speed = peak * (2 if row["precision"] in ("fp8", "fp4") else 1)
    terms = step_terms(
        shape,
        weight_bytes=weights.read_bytes(shape, batch),
        bandwidth=bandwidth,
        peak=speed,
        concurrency=batch,
        prompt=prompt,
        output=output,
        tensor=tensor,
        kv_bytes=1 if row["precision"] in ("fp8", "fp4") else 2,
    )
    return {
        "card": card,
        "engine": row["backend"],
        "version": row["backend_version"],
        "model": row["model_path"],
        "precision": row["precision"] or "bf16",
        "tensor": tensor,
        "concurrency": batch,
        "prompt": prompt,
        "output": output,
        **{name: f"{float(value):.6g}" for name, value in terms._asdict().items()},
        "prompt_seconds": f"{prompt_operations(shape, prompt) / tensor / speed:.6g}",
        "time_per_token": f"{float(row['silicon_tpot_ms']) / 1e3:.6g}",
        "time_to_first_token": f"{float(row['silicon_ttft_ms']) / 1e3:.6g}",
    }


def _weights(row: dict[str, str], mixture: bool) -> WeightFormat:
    others = BYTES[row["gemm_quant_mode"]]
    experts = BYTES[row["moe_quant_mode"] or row["gemm_quant_mode"]]
    if "gpt-oss" in row["model_path"]:
        others, experts = 2.0, 4.25 / 8
    elif "Kimi" in row["model_path"]:
        others = 2.0
    elif "DeepSeek" in row["model_path"] and others < 1:
        others = 1.0
    return WeightFormat(row["precision"] or "bf16", 2.0, experts if mixture else others, others)


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(path.name, len(rows), path.stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
