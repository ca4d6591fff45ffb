#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes golden/*.safetensors: what transformers and peft compute for tiny models of random weights.

    pip install transformers peft; python src/train/testdata/make_goldens.py

Each file holds, with config.json and the versions in its metadata: tokens [2, T] of two rows, the second of which ends
early; wanted [2, T - 1], the tokens whose log-probabilities the loss is the negative mean of; logits and log_probs;
loss; "param/NAME" and "grad/NAME". qwen3_untied has losses [10] and "after/NAME" of ten steps of AdamW, too,
and "lora/NAME" and "lora_grad/NAME" as PEFT stores them, with lora_logits.
"""
import json
import pathlib

import peft
import torch
import transformers
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
# head_dim is not hidden_size / heads, and two heads share one of keys and values.
SIZES = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 64, "attn_implementation": "eager"}
LLAMA3_ROPE = {"rope_type": "llama3", "rope_theta": 100.0, "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
MODELS = {
    "qwen3_tied": (Qwen3ForCausalLM, Qwen3Config(**SIZES, tie_word_embeddings=True)),
    "qwen3_untied": (Qwen3ForCausalLM, Qwen3Config(**SIZES, tie_word_embeddings=False, rms_norm_eps=1e-5)),
    "llama_tied_llama3": (LlamaForCausalLM, LlamaConfig(**SIZES, tie_word_embeddings=True,
                                                        rope_parameters=LLAMA3_ROPE)),
    "llama_untied_biases": (LlamaForCausalLM, LlamaConfig(**SIZES, tie_word_embeddings=False, attention_bias=True,
                                                          mlp_bias=True, rope_parameters={"rope_type": "linear",
                                                          "rope_theta": 500.0, "factor": 2.0})),
}
STEPS, RATE, DECAY = 10, 1e-2, 0.1


def random_model(kind, config, generator):
    model = kind(config).eval()
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data = 1 + 0.1 * noise if "norm" in name else 0.3 * noise
    return model


def scored(model, tokens, wanted):
    logits = model(tokens).logits
    log_probs = torch.log_softmax(logits[:, :-1].float(), -1).gather(-1, tokens[:, 1:, None]).squeeze(-1)
    return logits, log_probs, -(log_probs * wanted).sum() / wanted.sum()


def copied(tensors, prefix):
    return {f"{prefix}/{name}": tensor.detach().clone().contiguous() for name, tensor in tensors}


def with_adapter(model, tokens, wanted, generator):
    """The first model's logits and gradients with a random adapter on all its linear layers."""
    settings = peft.LoraConfig(r=3, lora_alpha=5, task_type="CAUSAL_LM", target_modules="all-linear")
    adapted = peft.get_peft_model(model, settings)
    lora = {name: p for name, p in adapted.named_parameters() if "lora_" in name}
    for parameter in lora.values():
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator)
    logits, _, loss = scored(adapted, tokens, wanted)
    loss.backward()
    stored = [(name.replace(".default", ""), p) for name, p in lora.items()]
    return {"lora_logits": logits.detach(), **copied(stored, "lora"),
            **copied([(name, p.grad) for name, p in stored], "lora_grad")}


def golden(name, kind, config, seed):
    generator = torch.Generator().manual_seed(seed)
    model = random_model(kind, config, generator)
    tokens = torch.randint(0, config.vocab_size, (2, 11), generator=generator)
    wanted = torch.rand((2, 10), generator=generator) < 0.7
    wanted[1, 6:] = False
    logits, log_probs, loss = scored(model, tokens, wanted)
    loss.backward()
    out = {"tokens": tokens, "wanted": wanted, "logits": logits.detach(), "log_probs": log_probs.detach(),
           "loss": loss.detach(), **copied(model.named_parameters(), "param"),
           **copied([(n, p.grad) for n, p in model.named_parameters()], "grad")}
    if name == "qwen3_untied":
        start = {n: p.detach().clone() for n, p in model.named_parameters()}
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
        losses = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = scored(model, tokens, wanted)[2]
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        out |= {"losses": torch.stack(losses), **copied(model.named_parameters(), "after")}
        for n, parameter in model.named_parameters():
            parameter.data = start[n]
        out |= with_adapter(model, tokens, wanted, generator)
    about = {"config": json.dumps(config.to_dict()), "transformers": transformers.__version__,
             "torch": torch.__version__, "peft": peft.__version__, "generator": "src/train/testdata/make_goldens.py"}
    save_file(out, GOLDEN / f"{name}.safetensors", metadata=about)


if __name__ == "__main__":
    torch.set_num_threads(1)
    GOLDEN.mkdir(exist_ok=True)
    for number, (name, (kind, config)) in enumerate(MODELS.items()):
        golden(name, kind, config, 100 + number)
