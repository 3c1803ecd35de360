"""`perfmodel model`: list, show or import language models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.command.answer import Answer, Assumption, exact
from perfmodel.command.language_models.setting import CONFIG, REPLACED, replacements
from perfmodel.command.options import Assumed, Subcommands, answers

if TYPE_CHECKING:
    from perfmodel.readers.models import ModelFile


@click.group(cls=Subcommands)
def model() -> None:
    """List, show or import language models.

    \b
      perfmodel model show config.json
    """  # noqa: D301


@answers(name="list")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
def listed(assumed: Assumed, folder: Path | None) -> Answer:
    """Show the families that are read, and the models of a folder.

    \b
      perfmodel model list ~/models
    """  # noqa: D301
    from perfmodel.readers.configs.families import FAMILIES, UNHELD
    from perfmodel.readers.models import read_config
    from perfmodel.readers.refusal import UnreadableFileError

    rows: list[dict[str, str | float]] = []
    for path in sorted({*(_imported()), *(folder.rglob("config.json") if folder else ())}):
        try:
            found = read_config(path)
            rows.append(
                {
                    "file": str(path),
                    "family": found.family,
                    "parameters": float(found.shape.parameters),
                    "cache bytes a token": found.shape.kv_bytes_per_token(),
                }
            )
        except UnreadableFileError as error:
            rows.append({"file": str(path), "family": f"refused: {error.what}"})
    return Answer(
        "Which models are known?",
        None,
        f"{len(FAMILIES)} families are read: {', '.join(FAMILIES)}.",
        unknown=tuple(f"{name} is refused: {why}." for name, why in UNHELD.items()),
        more={"Models": tuple(rows)} if rows else {},
        chapter="book/serving.md",
    )


@answers()
@CONFIG
@REPLACED
@click.option(
    "--index",
    type=click.Path(path_type=Path),
    help="The checkpoint's model.safetensors.index.json, to compare with.",
)
def show(assumed: Assumed, config: Path, replaced: tuple[str, ...], index: Path | None) -> Answer:
    """Show a model's parameters, cache and layers, from its config.json.

    \b
      perfmodel model show config.json --index model.safetensors.index.json
    """  # noqa: D301
    from perfmodel.readers.models import index_findings, read_config, read_index

    found = read_config(config, replacements(replaced))
    shape, weights = found.shape, found.weight_bytes
    compared: tuple[str, ...] = ()
    if index is not None:
        compared = index_findings(found, read_index(index))
    elif (beside := Path(config).parent / "model.safetensors.index.json").exists():
        compared = index_findings(found, read_index(beside))
    windowed = sum(b.attention.kv_numbers for b in shape.blocks if b.attention.sliding_window)
    return Answer(
        f"What is {found.name}?",
        None,
        f"A {found.family} model of {shape.parameters:,} parameters, {shape.active_parameters:,} "
        f"active, which keeps {shape.kv_bytes_per_token():,.0f} bytes of cache a token.",
        (
            exact("parameters", shape.parameters, "1"),
            exact("active parameters", shape.active_parameters, "1", "both word tables included"),
            exact("word tables", shape.word_tables, "1"),
            exact("weights as stored", weights, "bytes", found.weights.name),
            exact("cache of a token at 16 bits", shape.kv_bytes_per_token(), "bytes"),
            exact("of it in layers with windows", 2.0 * windowed, "bytes"),
            exact("FLOP of a token", 2.0 * (shape.active_parameters), "FLOP", "without attention"),
        ),
        tuple(Assumption("read from the file's class", text, "", "the family's rule")
              for text in found.said),
        "reading the weights, while few sequences run",
        "memory for the cache, as sequences grow",
        () if found.weights.certain else ("Which matrices keep 16 bits is taken from the config.",),
        (*found.traps, *compared),
        (f"{shape.layers} layers of {shape.hidden_size} values, {shape.vocab_size:,} words.",),
        "book/serving.md",
        {"Layers": _layers(found)},
    )  # fmt: skip


@answers(name="import")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="Under which it is kept.")
def imported(assumed: Assumed, config: Path, name: str) -> Answer:
    """Check a config.json and keep a copy, which `model list` shows."""
    from perfmodel.machines import folder
    from perfmodel.readers.models import read_config
    from perfmodel.readers.refusal import json_of

    if not name.replace("-", "").replace(".", "").replace("_", "").isalnum():
        raise click.UsageError(f"--name must be letters, digits, dots and hyphens, got {name!r}")
    found = read_config(config)
    path = config / "config.json" if config.is_dir() else config
    target = folder().parent / "models" / name / "config.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(json_of(path), indent=1) + "\n", encoding="utf-8")
    return Answer(
        f"Can {path} be read?",
        "yes",
        f"A {found.family} model of {found.shape.parameters:,} parameters, kept at {target}.",
        traps=(*found.said, *found.traps),
        chapter="book/serving.md",
    )


def _imported() -> list[Path]:
    from perfmodel.machines import folder

    kept = folder().parent / "models"
    return sorted(kept.rglob("config.json")) if kept.is_dir() else []


def _layers(found: ModelFile) -> tuple[dict[str, str | float | None], ...]:
    from collections import Counter

    rows: list[dict[str, str | float | None]] = []
    for block, count in Counter(found.shape.blocks).items():
        attention, feed = block.attention, block.feed_forward
        rows.append(
            {
                "layers": count,
                "heads": attention.num_heads,
                "kv heads": attention.num_kv_heads,
                "numbers cached a token": attention.kv_numbers,
                "window": attention.sliding_window if attention.sliding_window else "none",
                "experts": f"{feed.active} of {feed.experts}" if feed.experts > 1 else "dense",
                "width": feed.width,
                "parameters": block.parameters(found.shape.hidden_size),
            }
        )
    return tuple(rows)


for _command in (listed, show, imported):
    model.add_command(_command)
