# SPDX-License-Identifier: Apache-2.0
"""config.json of Llama and Qwen3, and adapter_config.json, as the versions of transformers and PEFT write them."""
from __future__ import annotations

import json
import math
import pathlib

import pytest

SMOL = {"architectures": ["LlamaForCausalLM"], "attention_bias": False, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "hidden_size": 576, "intermediate_size": 1536, "max_position_embeddings": 8192,
        "mlp_bias": False, "model_type": "llama", "num_attention_heads": 9, "num_hidden_layers": 30,
        "num_key_value_heads": 3, "pad_token_id": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": None,
        "rope_theta": 100000, "tie_word_embeddings": True, "torch_dtype": "bfloat16", "vocab_size": 49152}
QWEN = {"architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "bos_token_id": 151643, "eos_token_id": 151645,
        "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072,
        "layer_types": ["full_attention"] * 28, "max_position_embeddings": 40960, "model_type": "qwen3",
        "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-06,
        "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"}, "sliding_window": None,
        "tie_word_embeddings": True, "dtype": "bfloat16", "use_sliding_window": False, "vocab_size": 151936}
LLAMA3 = {"rope_type": "llama3", "factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
          "original_max_position_embeddings": 8192}


def read(probe, tmp_path: pathlib.Path, config: dict, what: str = "model_config") -> dict:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    return probe.answer(what, path=str(path))


def value(probe, tmp_path: pathlib.Path, config: dict, what: str = "model_config") -> dict:
    answer = read(probe, tmp_path, config, what)
    assert "value" in answer, answer
    return answer["value"]


@pytest.mark.parametrize("config", [SMOL, QWEN], ids=["llama of version 4", "qwen3 of version 5"])
def test_what_is_read_is_written_for_both_versions(probe, tmp_path: pathlib.Path, config: dict) -> None:
    written = value(probe, tmp_path, config)
    shared = set(config) & set(written) - {"rope_scaling"}
    assert {key: written[key] for key in shared} == {key: config[key] for key in shared}
    assert written["rope_theta"] == written["rope_parameters"]["rope_theta"] > 10000
    assert written["dtype"] == written["torch_dtype"] == "bfloat16"
    assert value(probe, tmp_path, written) == written


def test_defaults_are_those_of_transformers(probe, tmp_path: pathlib.Path) -> None:
    bare = {key: SMOL[key] for key in ("model_type", "vocab_size", "hidden_size", "intermediate_size",
                                       "num_hidden_layers", "num_attention_heads", "max_position_embeddings")}
    found = value(probe, tmp_path, bare)
    assert (found["num_key_value_heads"], found["head_dim"], found["rope_theta"]) == (9, 64, 10000)
    assert (found["tie_word_embeddings"], found["rms_norm_eps"], found["dtype"]) == (False, 1e-6, "float32")


def test_rotary_embeddings_of_both_versions(probe, tmp_path: pathlib.Path) -> None:
    old = value(probe, tmp_path, SMOL | {"rope_scaling": LLAMA3})
    new = value(probe, tmp_path, {key: of for key, of in SMOL.items() if not key.startswith("rope")}
                | {"rope_parameters": LLAMA3 | {"rope_theta": 100000.0}})
    assert old["rope_parameters"] == new["rope_parameters"] == LLAMA3 | {"rope_theta": 100000.0}
    assert value(probe, tmp_path, old) == old
    linear = value(probe, tmp_path, SMOL | {"rope_scaling": {"type": "linear", "factor": 2.0}})
    assert linear["rope_scaling"] == {"rope_type": "linear", "factor": 2.0}


@pytest.mark.parametrize(("change", "reason", "code"), [
    ({"model_type": "mixtral"}, 'model_type "mixtral"', "unsupported_operator"),
    ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, 'rope_type "yarn"', "unsupported_operator"),
    ({"rope_parameters": {"rope_type": "longrope"}}, 'rope_type "longrope"', "unsupported_operator"),
    ({"rope_scaling": {"type": "dynamic", "factor": 4.0}}, 'rope_type "dynamic"', "unsupported_operator"),
    ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, "partial_rotary_factor",
     "unsupported_operator"),
    ({"rope_scaling": LLAMA3 | {"factor": 0}}, '"factor" is not a positive', "file_invalid"),
    ({"rope_theta": "big"}, '"rope_theta" is not a number', "file_invalid"),
    ({"hidden_act": "gelu"}, 'hidden_act "gelu"', "unsupported_operator"),
    ({"torch_dtype": "int8"}, 'dtype "int8"', "unsupported_operator"),
    ({"quantization_config": {"bits": 4}}, "quantised for PyTorch", "unsupported_operator"),
    ({"layer_types": ["sliding_attention"]}, "sliding window", "unsupported_operator"),
    ({"hidden_size": 0}, '"hidden_size" is 0', "file_invalid"),
    ({"hidden_size": 577}, "does not divide among 9", "file_invalid"),
    ({"num_key_value_heads": 2}, "do not divide among 2", "file_invalid"),
    ({"vocab_size": 2**40}, "no size of a model", "file_invalid"),
    ({"vocab_size": None}, '"vocab_size"', "file_invalid"),
    ({"head_dim": 63}, "odd", "file_invalid"),
    ({f"key{number}": 0 for number in range(1001)}, "more than 1000 members", "file_invalid"),
])
def test_what_cannot_be_computed_is_refused(probe, tmp_path: pathlib.Path, change: dict, reason: str,
                                            code: str) -> None:
    answer = read(probe, tmp_path, SMOL | change)
    assert reason in answer["error"] and answer["code"] == code


ADAPTER = {"alpha_pattern": {}, "auto_mapping": None, "base_model_name_or_path": "HuggingFaceTB/SmolLM2-135M-Instruct",
           "bias": "none", "corda_config": None, "eva_config": None, "exclude_modules": None, "fan_in_fan_out": False,
           "inference_mode": True, "init_lora_weights": True, "layer_replication": None, "layers_pattern": None,
           "layers_to_transform": None, "loftq_config": {}, "lora_alpha": 32, "lora_bias": False, "lora_dropout": 0.05,
           "megatron_config": None, "megatron_core": "megatron.core", "modules_to_save": None, "peft_type": "LORA",
           "r": 16, "rank_pattern": {}, "revision": None, "target_modules": ["v_proj", "q_proj"],
           "task_type": "CAUSAL_LM", "trainable_token_indices": None, "use_dora": False, "use_rslora": False}


def test_adapters_are_read_and_written(probe, tmp_path: pathlib.Path) -> None:
    found = value(probe, tmp_path, ADAPTER, "adapter_config")
    assert found.pop("scale") == 2.0
    assert found == {key: ADAPTER[key] for key in found} | {"target_modules": ["q_proj", "v_proj"]}
    again = value(probe, tmp_path, found | {"use_rslora": True}, "adapter_config")
    assert math.isclose(again.pop("scale"), 32 / 4)
    all_linear = value(probe, tmp_path, ADAPTER | {"target_modules": "all-linear"}, "adapter_config")
    assert len(all_linear["target_modules"]) == 7


@pytest.mark.parametrize(("change", "reason"), [
    ({"peft_type": "IA3"}, 'peft_type "IA3"'), ({"use_dora": True}, "use_dora"), ({"bias": "all"}, 'bias "all"'),
    ({"rank_pattern": {"q_proj": 4}}, "rank_pattern"), ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
    ({"r": 0}, "no rank"), ({"target_modules": ".*q_proj"}, "target_modules"), ({"fan_in_fan_out": True}, "fan_in"),
    ({"lora_dropout": 1}, "lora_dropout"),
])
def test_other_adapters_are_refused(probe, tmp_path: pathlib.Path, change: dict, reason: str) -> None:
    assert reason in read(probe, tmp_path, ADAPTER | change, "adapter_config")["error"]


def test_names_of_adapters_go_both_ways(probe) -> None:
    for part in "AB":
        name = f"base_model.model.model.layers.11.self_attn.q_proj.lora_{part}.weight"
        assert probe.value("adapter_name", name=name) == \
            {"layer": "model.layers.11.self_attn.q_proj", "is_b": part == "B", "name": name}
    for name in ("model.layers.0.mlp.up_proj.weight", "base_model.model.lora_A.weight",
                 "base_model.model.x.lora_C.weight"):
        assert probe.value("adapter_name", name=name) is None
