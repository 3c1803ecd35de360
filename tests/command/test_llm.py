"""`perfmodel llm`, `model` and `machine` from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from perfmodel.command import COMMANDS, main
from perfmodel.command.answer import Answer
from perfmodel.serving.calibration.shipped import own_runs

LLAMA_8B = {
    "model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "max_position_embeddings": 131072,
}  # fmt: skip
BENCH = {
    "num_prompts": 64, "max_concurrency": 32, "duration": 20.0, "completed": 64,
    "total_input_tokens": 65536, "total_output_tokens": 16384, "mean_ttft_ms": 300.0,
    "mean_tpot_ms": 30.0,
}  # fmt: skip


def asked(*arguments: str) -> Answer:
    """Return the answer of a command."""
    result = CliRunner().invoke(main, [*arguments, "--json"])
    assert result.exit_code in (0, 1, 2), result.output
    answer = Answer.from_json(result.output)
    assert answer.exit_status == result.exit_code
    return answer


def refused(*arguments: str) -> str:
    """Return the sentence of a refusal."""
    result = CliRunner().invoke(main, [*arguments])
    assert result.exit_code == 3, result.output
    return result.output


def value(answer: Answer, name: str) -> float:
    """Return a quantity's value."""
    found = next(one.value for one in answer.quantities if one.name.startswith(name))
    assert found is not None
    return found


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA_8B))
    return str(path)


def test_memory_by_hand(config):
    """0.9 x 80 GiB less 16.06e9 and 3e9 bytes, over 8192 x 131,072 bytes a sequence."""
    answer = asked("llm", "memory", config, "--on", "h100", "--context", "8192")
    room = 0.9 * 80 * 2**30 - 2 * 8_030_261_248 - 3e9
    assert value(answer, "sequences that fit") == int(room / (8192 * 131_072))
    assert value(answer, "parameters") == 8_030_261_248
    assert answer.verdict == "yes"
    assert any("h100-pcie-80gb" in one.source for one in answer.assumed)
    assert "weights" in answer.binds
    assert answer.next_binds


def test_memory_asks_for_sequences_at_once(config):
    many = ("llm", "memory", config, "--on", "h100", "--context", "8192", "--concurrency")
    assert asked(*many, "50").verdict == "yes"
    assert asked(*many, "53").verdict == "unknown"
    assert asked(*many, "57").verdict == "no"
    for wanted, verdict in (("54", "yes"), ("55", "no")):
        assert asked(*many, wanted, "--assume", "workspace=3 GB").verdict == verdict


def test_memory_on_more_devices_and_with_fewer_bits(config):
    one = asked("llm", "memory", config, "--on", "h100", "--context", "8192")
    two = asked("llm", "memory", config, "--on", "h100", "--context", "8192", "--count", "2")
    assert value(two, "cache of a sequence") == value(one, "cache of a sequence") / 2
    small = asked("llm", "memory", config, "--on", "h100", "--weight-bits", "4")
    assert value(small, "weights") == pytest.approx(8_030_261_248 / 2)
    eight = asked("llm", "memory", config, "--on", "h100", "--assume", "kv_bits=8")
    assert value(eight, "cache of a token") == 65_536


def test_serve_is_above_its_bound_and_names_what_binds(config):
    answer = asked("llm", "serve", config, "--on", "h100", "--engine", "vllm")
    token = next(one for one in answer.quantities if one.name == "time per token")
    bound = value(answer, "time per token at full bandwidth")
    assert None not in (token.low, token.value, token.high)
    assert sorted([token.low, token.value, token.high]) == [token.low, token.value, token.high]
    assert token.low >= bound * (1 - 1e-9)
    assert value(answer, "generated tokens/s") == pytest.approx(32 / token.value)
    assert answer.binds != answer.next_binds
    assert any("Time to first token" in one for one in answer.unknown)
    assert sum(float(row["seconds"]) for row in answer.more["Time of a token"]) > 0


def test_serve_meets_a_benchmark_of_the_reader(config, tmp_path):
    """One benchmark of 30 ms a token moves the forecast of the same setting to 30 ms."""
    bench = tmp_path / "bench.json"
    bench.write_text(json.dumps(BENCH))
    running = 64 * (0.3 + 255 * 0.03) / 20
    answer = asked(
        "llm", "serve", config, "--on", "h100", "--prompt", "1024", "--output", "256",
        "--concurrency", str(round(running)), "--calibrate", str(bench),
    )  # fmt: skip
    assert value(answer, "time per token") == pytest.approx(0.03, rel=0.05)
    assert any("one factor" in one for one in answer.unknown)
    after_one = next(one for one in own_runs() if one.runs == 1)
    assert value(answer, "error on points not fitted") == after_one.error
    time = next(one for one in answer.quantities if one.name == "time per token")
    assert time.high < 2 * time.low


def test_serve_doubts_runs_of_another_time(config, tmp_path):
    """Runs ten times as slow as any such machine: the interval holds both times."""
    table = tmp_path / "runs.csv"
    table.write_text("concurrency,prompt,output,time_per_token_ms\n32,1024,256,150\n")
    ours, theirs = (
        asked("llm", "serve", config, "--on", "h100", "--within", "60ms", *more)
        for more in (("--calibrate", str(table)), ())
    )
    time = next(one for one in ours.quantities if one.name == "time per token")
    assert time.low <= value(theirs, "time per token") < time.value == pytest.approx(0.15)
    assert ours.verdict == "unknown"


def test_serve_is_fitted_to_a_table_of_runs(config, tmp_path):
    """Runs made by known numbers: the forecast of another setting is theirs."""
    from perfmodel.readers.models import read_config
    from perfmodel.serving.calibration.token_time import TokenTime, step_terms

    model, true = read_config(config), TokenTime((1.6, 9e-5, 0.0, 2.5, 20.0, 0.0))

    def token(running: int, prompt: int, output: int) -> float:
        read = model.weights.read_bytes(model.shape, running)
        terms = step_terms(
            model.shape, weight_bytes=read, bandwidth=3.35e12, peak=989e12, concurrency=running,
            prompt=prompt, output=output,
        )  # fmt: skip
        return float(true.seconds(terms))

    settings = [(b, n, m) for b in (1, 4, 16, 64) for n in (128, 2048) for m in (128, 512)]
    lines = [f"{b},{n},{m},{token(b, n, m) * 1e3}" for b, n, m in settings]
    table = tmp_path / "runs.csv"
    table.write_text("\n".join(["concurrency,prompt,output,time_per_token_ms", *lines]) + "\n")
    answer = asked(
        "llm", "serve", config, "--on", "h100", "--calibrate", str(table), "--prompt", "1000",
        "--output", "300", "--concurrency", "32",
    )  # fmt: skip
    assert value(answer, "time per token") == pytest.approx(token(32, 1000, 300), rel=0.02)
    assert any(one.source == "16 runs of yours" for one in answer.assumed)
    assert any("all-reduces" in one for one in answer.unknown)


def test_repeats_of_a_setting_are_no_fit_of_another(config, tmp_path):
    """Twelve repeats at one load fit many numbers: asked for another, one factor is taken."""
    lines = [f"4,1024,256,{6.3 + 0.02 * (i % 5)}" for i in range(12)]
    table = tmp_path / "runs.csv"
    table.write_text("\n".join(["concurrency,prompt,output,time_per_token_ms", *lines]) + "\n")
    base = ("llm", "serve", config, "--on", "h100", "--concurrency", "128")
    ours, theirs = asked(*base, "--calibrate", str(table)), asked(*base)
    time = next(one for one in ours.quantities if one.name == "time per token")
    assert any("fewer than twelve settings" in one for one in ours.unknown)
    assert time.value < 1.3 * value(theirs, "time per token")
    assert time.high > 1.2 * time.low


def test_beyond_the_own_runs_the_interval_holds_the_public_numbers(config, tmp_path):
    """Fourteen short prompts at small loads: a load of 256 needs more than their spread."""
    lines = [f"{b},{n},256,{6.3 + 0.05 * b}" for b in range(1, 8) for n in (100, 140)]
    table = tmp_path / "runs.csv"
    table.write_text("\n".join(["concurrency,prompt,output,time_per_token_ms", *lines]) + "\n")
    base = ("llm", "serve", config, "--on", "h100", "--calibrate", str(table), "--prompt", "100")
    near, far = asked(*base, "--concurrency", "4"), asked(*base, "--concurrency", "256")
    spread = []
    for answer in (near, far):
        time = next(one for one in answer.quantities if one.name == "time per token")
        spread.append(time.high / time.low)
    assert spread[0] < 1.1 < 1.3 < spread[1]
    beyond = "Your runs don't reach this setting"
    assert [any(beyond in one for one in answer.unknown) for answer in (near, far)] == [False, True]


def test_serve_says_first_that_requests_do_not_fit(config):
    base = ("llm", "serve", config, "--on", "h100", "--concurrency")
    said = ["don't fit into memory" in asked(*base, count).summary for count in ("32", "100000")]
    assert said == [False, True]


def test_serve_takes_the_points_of_one_model(config):
    like = ("llm", "serve", config, "--on", "h100", "--engine", "vllm", "--like")
    answer = asked(*like, "meta-llama/Llama-3.1-70B fp8")
    assert any("45 points of meta-llama/Llama-3.1-70B" in one.source for one in answer.assumed)
    assert "model must be one of h100-sxm5-80gb with vllm" in refused(*like, "unheard-of")


def test_serve_says_yes_no_and_cannot_tell(config):
    base = ("llm", "serve", config, "--on", "h100", "--within")
    assert asked(*base, "1s").verdict == "yes"
    assert asked(*base, "1ms").verdict == "no"
    middle = value(asked(*base[:-1]), "time per token")
    assert asked(*base, f"{middle * 1e3:.3f}ms").verdict == "unknown"
    assert "--within must be a time" in refused(*base, "3 GB")


def test_training_takes_16_bytes_a_parameter(config):
    answer = asked("llm", "train", config, "--on", "h100", "--count", "8", "--tokens", "1e12")
    assert value(answer, "states, all devices") == 16 * 8_030_261_248
    assert value(answer, "states on a device") == pytest.approx(2 * 8_030_261_248)
    assert answer.verdict == "yes"
    assert asked("llm", "train", config, "--on", "h100", "--stage", "0").verdict == "no"
    rate = value(answer, "trained tokens/s")
    assert value(answer, "time of training") == pytest.approx(1e12 / rate)


def test_refusals(config, tmp_path):
    assert "id must be that of a known machine" in refused(
        "llm", "memory", config, "--on", "nothing-like-it"
    )
    assert "--set must be FIELD=VALUE" in refused(
        "llm", "memory", config, "--on", "h100", "--set", "layers"
    )
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps(LLAMA_8B | {"model_type": "mamba"}))
    assert "not held" in refused("llm", "memory", str(odd), "--on", "h100")
    assert "--engine must be" in refused("llm", "serve", config, "--on", "h100", "--engine", "x")
    assert "no serving benchmark" in refused(
        "llm", "serve", config, "--on", "h100", "--calibrate", config
    )
    assert "count must be a whole number" in refused(
        "llm", "memory", config, "--on", "h100", "--count", "0"
    )


def test_model_show_and_list(config, tmp_path, monkeypatch):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path / "kept" / "machines"))
    answer = asked("model", "show", config)
    assert value(answer, "cache of a token") == 131_072
    assert answer.more["Layers"][0]["layers"] == 32
    shown = asked("model", "show", config, "--set", "head_dim=64")
    assert value(shown, "cache of a token") == 65_536
    assert asked("model", "import", config, "--name", "small").verdict == "yes"
    listed = asked("model", "list", str(tmp_path))
    assert [row["family"] for row in listed.more["Models"]] == ["llama", "llama"]
    assert "--name must be" in refused("model", "import", config, "--name", "../up")


def test_machine_list_show_and_import(config, tmp_path, monkeypatch):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path / "machines"))
    answer = asked("machine", "show", "h100")
    assert value(answer, "memory_capacity") == 80 * 2**30
    assert any("fits h100-pcie-80gb too" in one for one in answer.traps)
    reached = value(answer, "memory bandwidth reached in serving")
    assert 0.5 * 3.35e12 < reached <= 3.35e12
    assert 1e-12 < value(answer, "energy_per_flop") < value(answer, "energy_per_byte") < 1e-9
    fitted = next(
        one for one in answer.quantities if one.name == "time of an all-reduce in serving"
    )
    assert "the fit's median error" in fitted.note
    older = asked("machine", "show", "t4")
    assert not any("in serving" in one.name for one in older.quantities)
    figures = tmp_path / "card.json"
    card = {"memory_capacity": "96 GiB", "memory_bandwidth": "4 TB/s", "peak_bf16_matrix": "1e15 F"}
    figures.write_text(json.dumps(card))
    assert "peak_bf16_matrix" in refused(
        "machine", "import", str(figures), "--name", "my-card", "--source", "x"
    )
    figures.write_text(json.dumps(card | {"peak_bf16_matrix": "1000 TFLOP/s"}))
    asked("machine", "import", str(figures), "--name", "my-card", "--source", "its data sheet")
    assert asked("llm", "memory", config, "--on", "my-card", "--context", "8192").verdict == "yes"
    rows = asked("machine", "list").more["Machines"]
    assert "my-card" in {row["id"] for row in rows}
    assert all(row["verified"] for row in rows)
    assert "--kind must be" in refused("machine", "list", "--kind", "toaster")


def test_commands_are_in_the_table():
    assert {"llm", "model", "machine"} <= set(COMMANDS)


def test_what_no_machine_can_do_is_refused(config):
    at = (config, "--on", "h100")
    assert "memory_share must be" in refused("llm", "serve", *at, "--assume", "memory_share=2")
    assert "workspace must be 0 or more" in refused(
        "llm", "memory", *at, "--assume", "workspace=-1"
    )
    assert "x>=1" in refused("llm", "memory", *at, "--concurrency", "0")


def test_serve_says_where_a_text_is_longer_than_the_config_allows(config):
    answer = asked("llm", "serve", config, "--on", "h100", "--prompt", "1000000")
    assert any("tokens, and the config allows" in one for one in answer.traps)


def test_rank_shows_the_best_plan_of_each_machine_and_count(config):
    at = ("llm", "rank", config, "--on", "h100-sxm5", "--on", "h200", "--within", "20ms")
    answer = asked(*at)
    assert answer.verdict == "yes"
    rows = answer.more["Best plans"]
    assert len({(row["machine"], row["weights"]) for row in rows}) == len(rows)
    tokens = [row["tokens/s a device"] for row in rows if row["sure"] == "yes"]
    assert tokens == sorted(tokens, reverse=True)
    best = rows[0]
    count, machine = best["machine"].split(" x ")
    one = asked(
        "llm", "serve", config, "--on", {"H100": "h100-sxm5", "H200": "h200"}[machine],
        "--count", count, "--concurrency", str(best["requests"]),
    )  # fmt: skip
    assert value(one, "time per token") * 1e3 == pytest.approx(best["ms a token"], abs=0.06)
    prices = asked(*at, "--price", "h100-sxm5=1", "--price", "h200=9")
    priced = prices.more["Best plans"]
    assert asked(*at, "--on", "h200").more["Best plans"] == rows
    assert "H100" in priced[0]["machine"]
    assert ("gives most tokens" in answer.question, "costs least" in prices.question) == (True,) * 2
    assert f"{priced[0]['price of 1e6 tokens']} for a million tokens" in prices.summary
    fewer_bits = asked(*at, "--weight-bits", "16", "--weight-bits", "8").more["Best plans"]
    assert {row["weights"] for row in fewer_bits} == {"16 bits", "8 bits"}


def test_rank_says_what_it_cannot(config):
    answer = asked("llm", "rank", config, "--on", "h100-sxm5", "--within", "2ms")
    assert answer.verdict == "no"
    assert "the fastest takes" in answer.summary
    small = asked("llm", "rank", config, "--on", "t4", "--within", "1s", "--most", "1")
    assert "fit on none" in small.summary
    both = ("llm", "rank", config, "--on", "h100-sxm5", "--on", "h200", "--within", "20ms")
    assert "--price must name the machines of --on" in refused(*both, "--price", "h200=3")
    assert "--price must be MACHINE=PRICE" in refused(*both, "--price", "h200=free")
    assert "--within must be a time" in refused(*both[:-1], "soon")
    assert "--engine must be" in refused(*both, "--engine", "x")
