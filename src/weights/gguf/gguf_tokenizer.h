// SPDX-License-Identifier: Apache-2.0
// The tokenizer inside a GGUF file, as the tokenizer.json that Hugging Face's library reads.
#pragma once

#include <string>

#include "base/error/result.h"
#include "weights/gguf/gguf_file.h"

namespace stitch::weights {

// Byte-level BPE alone ("tokenizer.ggml.model" gpt2), with the splitters that llama.cpp names gpt-2, smollm, llama-bpe
// and qwen2; kUnsupportedOperator for others.
Result<std::string> gguf_tokenizer_json(const GgufFile& file);

}  // namespace stitch::weights
