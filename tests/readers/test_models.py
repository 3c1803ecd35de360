"""Shapes from a model's `config.json`: parameters and cache exact, or a refusal by name.

`model_configs.json` holds the fields that size 97 models. Where `source` names a package, the
numbers were counted by building the model's class in transformers 5.24 from the released file
(aiconfigurator-core, Apache-2.0) or from the package's table of shapes (litgpt, Apache-2.0).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfmodel.readers.configs.families import FAMILIES, UNHELD
from perfmodel.readers.configs.fields import ConfigFields
from perfmodel.readers.configs.weight_formats import uniform_format
from perfmodel.readers.models import (
    index_findings,
    is_config,
    read_config,
    read_index,
)
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.roofline import FeedForward

MODELS = json.loads((Path(__file__).parent / "model_configs.json").read_text())
LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def written(folder: Path, content: object) -> Path:
    """Write a config and return its path."""
    path = folder / "config.json"
    path.write_text(json.dumps(content))
    return path


def named(model: str) -> dict[str, object]:
    """Return the fields of a model."""
    return dict(next(one["config"] for one in MODELS if one["model"] == model))


@pytest.mark.parametrize("one", MODELS, ids=lambda one: one["model"])
def test_parameters_and_cache_are_exact_or_refused_by_name(one, tmp_path):
    path = written(tmp_path, one["config"])
    text = one["config"].get("text_config", one["config"])
    kind = text.get("model_type", one["config"]["model_type"])
    if kind in UNHELD:
        with pytest.raises(UnreadableFileError, match=f"model_type '{kind}' has .* not held"):
            read_config(path)
        return
    shape = read_config(path).shape
    assert shape.parameters == one["parameters"]
    if "active" in one:
        assert shape.active_parameters == one["active"]
        assert shape.kv_bytes_per_token() == one["kv_bytes"]
        windowed = [b.attention.kv_numbers for b in shape.blocks if b.attention.sliding_window]
        assert 2 * sum(windowed) == one["windowed"]


def test_enough_models_and_families_are_tested():
    kinds = {one["config"].get("text_config", one["config"])["model_type"] for one in MODELS}
    assert len({kind for kind in kinds if kind in FAMILIES}) >= 30
    untested = set(FAMILIES) - kinds
    assert untested == {"glm", "glm4_moe", "glm4_moe_lite", "granite", "qwen3_vl_text",
                        "qwen3_vl_moe_text"}  # fmt: skip


def test_a_file_without_a_type_is_taken_for_llama_and_says_so(tmp_path):
    """20 layers, 24 heads of 128 in a model 1536 wide: 825,753,600 numbers in the matrices."""
    config = {
        "architectures": ["ExampleForCausalLM"], "hidden_size": 1536, "intermediate_size": 4096,
        "num_hidden_layers": 20, "num_attention_heads": 24, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 64_000, "tie_word_embeddings": False,
        "torch_dtype": "bfloat16", "sliding_window": None,
    }  # fmt: skip
    model = read_config(written(tmp_path, config))
    assert model.shape.kv_numbers == 2 * 20 * 8 * 128
    assert model.shape.parameters - 41 * 1536 == 825_753_600
    assert any("no model_type" in sentence for sentence in model.said)
    assert any("128 numbers wide; hidden / heads = 64" in sentence for sentence in model.traps)


def test_the_two_names_of_the_count_of_experts(tmp_path):
    config = named("Qwen/Qwen3-30B-A3B")
    first = read_config(written(tmp_path, config)).shape
    config["num_local_experts"] = config.pop("num_experts")
    assert read_config(written(tmp_path, config)).shape == first
    config["num_experts"] = 64
    with pytest.raises(UnreadableFileError, match="num_local_experts 128, num_experts 64 contrad"):
        read_config(written(tmp_path, config))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_size": None}, "no hidden_size or n_embd; give the released file"),
        ({"num_hidden_layers": 2.5}, "num_hidden_layers must be a whole number from 1 up, got 2.5"),
        ({"num_hidden_layers": True}, "must be a whole number"),
        ({"vocab_size": 0}, "vocab_size must be a whole number from 1 up, got 0"),
        ({"num_attention_heads": 7}, "hidden 64 / heads 7 is not whole"),
        ({"num_key_value_heads": 3}, "num_key_value_heads 3 does not divide"),
        ({"num_local_experts": 8}, "num_local_experts is 8, which the rule for llama doesn't know"),
        ({"sliding_window": 4096}, "sliding_window is 4096, which the rule for llama"),
        ({"kv_lora_rank": 512}, "kv_lora_rank is 512"),
        ({"layer_types": ["full_attention"]}, "layer_types must have one entry for each of 2"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "'linear_attention' are not"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "no sliding_window"),
        ({"model_type": "novel"}, "model_type 'novel' is not known; if it is built as one of"),
        ({"model_type": "mamba2"}, "'mamba2' has a state of fixed size and no cache, not held"),
        ({"is_encoder_decoder": True}, "an encoder with a decoder is not held"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings must be true or false, got 'no'"),
        ({"torch_dtype": "int3"}, "dtype 'int3' is not known"),
        ({"quantization_config": {"quant_method": "odd"}}, "quantisation by 'odd' is not known"),
        ({"model_type": "mistral"}, "no sliding_window: transformers makes it 4096"),
        ({"model_type": "qwen3"}, "no head_dim, and hidden / heads is not its width"),
        ({"model_type": "gemma2", "head_dim": 8}, "no sliding_window"),
        ({"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 5},
         "5 experts for a token are more than the 4"),
        ({"model_type": "mixtral", "num_local_experts": 4}, "no num_experts_per_tok or"),
        ({"num_hidden_layers": 10**20}, "num_hidden_layers must be at most 100,000, got one of 21"),
        ({"hidden_size": 10**400}, "hidden_size must be at most 1,000,000,000,000"),
        ({"model_type": "deepseek_v3"}, "no kv_lora_rank"),
        ({"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 8},
         "use_sliding_window without max_window_layers"),
    ],
)  # fmt: skip
def test_what_sizes_a_model_is_refused_by_name(change, message, tmp_path):
    with pytest.raises(UnreadableFileError, match=message):
        read_config(written(tmp_path, LLAMA | change))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "no JSON object"),
        ({"a": 1}, "no number of layers: this is no model's config.json"),
        ({"weight_map": {}, "metadata": {}}, "this is a checkpoint's index"),
    ],
)
def test_other_files_are_refused(content, message, tmp_path):
    with pytest.raises(UnreadableFileError, match=message):
        read_config(written(tmp_path, content))


def test_fields_can_be_replaced(tmp_path):
    config = {key: value for key, value in LLAMA.items() if key != "torch_dtype"}
    path = written(tmp_path, config | {"model_type": "mistral"})
    model = read_config(path, {"sliding_window": 4096, "head_dim": 16})
    attention = model.shape.block.attention
    assert (attention.sliding_window, attention.kv_numbers) == (4096, 2 * 2 * 16)
    assert "sliding_window is 4096, as given." in model.said
    assert "The file has no dtype: 16 bits a weight." in model.said


def test_qwen_windows_count_only_if_they_are_used(tmp_path):
    change = {"model_type": "qwen2", "sliding_window": 32, "max_window_layers": 1}
    for used, windows in ((False, [None, None]), (True, [None, 32])):
        shape = read_config(written(tmp_path, LLAMA | change | {"use_sliding_window": used})).shape
        assert [block.attention.sliding_window for block in shape.blocks] == windows


@pytest.mark.parametrize(
    ("quantised", "name", "sizes"),
    [
        (None, "bfloat16", (2, 2)),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8", (2, 1 + 4 / 128**2)),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq 4 bits",
         (2, 0.5 + 2.5 / 128)),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes 4 bits",
         (2, 0.5625)),
        ({"quant_algo": "NVFP4", "quant_method": "modelopt"}, "nvfp4", (2, 0.5625)),
        ({"quant_algo": "FP8", "producer": {"name": "modelopt"}}, "fp8", (2, 1)),
        ({"quant_method": "compressed-tensors",
          "config_groups": {"a": {"weights": {"num_bits": 4, "group_size": 32}}}}, "4 bits",
         (2, 0.5625)),
    ],
)  # fmt: skip
def test_bytes_of_quantised_weights(quantised, name, sizes, tmp_path):
    model = read_config(written(tmp_path, LLAMA | {"quantization_config": quantised}))
    tables = 2 * 100 * 64
    rest = model.shape.parameters - tables
    assert model.weights.name == name
    assert model.weight_bytes == pytest.approx(sizes[0] * tables + sizes[1] * rest)


def test_modelopt_file_beside_is_read(tmp_path):
    own = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}}
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(own))
    model = read_config(written(tmp_path, LLAMA))
    assert model.weights.name == "nvfp4"
    assert model.weights.others == 0.5 + 1 / 16


def test_a_name_of_few_bits_beside_a_config_of_16_is_doubted(tmp_path):
    """NVIDIA's older checkpoints state their format in hf_quant_config.json alone."""
    folder = tmp_path / "Llama-3.1-70B-Instruct-FP8"
    folder.mkdir()
    read = read_config(written(folder, LLAMA))
    assert any(
        "The name holds FP8, but the config gives all weights as bfloat16" in trap
        for trap in read.traps
    )
    own = {"quantization": {"quant_algo": "FP8"}}
    (folder / "hf_quant_config.json").write_text(json.dumps(own))
    assert not any("The name holds" in trap for trap in read_config(folder).traps)
    assert not any("The name holds" in trap for trap in read_config(written(tmp_path, LLAMA)).traps)


def test_gpt_oss_keeps_all_but_its_experts_at_16_bits(tmp_path):
    """The released 120b has 65.25e9 bytes in its shards."""
    config = named("openai/gpt-oss-120b") | {"quantization_config": {"quant_method": "mxfp4"}}
    model = read_config(written(tmp_path, config))
    assert model.weight_bytes == pytest.approx(65.25e9, rel=0.002)


def test_read_bytes_of_a_step(tmp_path):
    """One token of a mixture reads two of its experts; many read all."""
    model = read_config(written(tmp_path, named("mistralai/Mixtral-8x7B-v0.1")))
    shape, weights = model.shape, model.weights
    spare = 6 / 8 * shape.routed_parameters
    assert weights.read_bytes(shape, 1) == pytest.approx(2 * (shape.streamed_parameters - spare))
    few, more = uniform_format(4).read_bytes(shape, 1e6), uniform_format(4).bytes_of(shape)
    assert few < more
    assert isinstance(shape.block.feed_forward, FeedForward)


def test_index_of_a_checkpoint(tmp_path):
    model = read_config(written(tmp_path, LLAMA))
    names = [f"model.layers.{i}.mlp.up_proj.weight" for i in range(3)]
    index = tmp_path / "model.safetensors.index.json"
    total = int(model.weight_bytes)
    shards = {name: f"model-{i}.safetensors" for i, name in enumerate(names)}
    index.write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": shards}))
    found = read_index(index)
    assert (found.layers, found.shards, found.tensors) == (3, 3, 3)
    sentences = " ".join(index_findings(model, found))
    assert "1.0000 times" in sentences
    assert "The checkpoint has 3 layers, the config 2." in sentences
    assert "no output table though the config has two" in sentences
    index.write_text(json.dumps({"metadata": {}, "weight_map": shards}))
    with pytest.raises(UnreadableFileError, match="total_size is None"):
        read_index(index)
    with pytest.raises(UnreadableFileError, match="no weight_map"):
        read_index(written(tmp_path, LLAMA))


def test_detects_configs(tmp_path):
    assert is_config(json.dumps(LLAMA))
    assert is_config(json.dumps({"text_config": LLAMA}))
    assert not is_config(json.dumps({"benchmarks": []}))
    assert not is_config("a,b")
    assert ConfigFields(tmp_path, LLAMA).has("vocab_size")
