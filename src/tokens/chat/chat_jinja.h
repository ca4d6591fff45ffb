// SPDX-License-Identifier: Apache-2.0
// Chat templates as the texts that Hugging Face's library reads, for models that we write.
#pragma once

#include <string_view>

#include "tokens/chat/chat.h"

namespace stitch::tokens {

// A Jinja text that gives what chat_pieces() gives, and by which chat_template_of() knows it again. Empty for Qwen3,
// whose long template comes with its models.
std::string_view jinja_of(ChatTemplate kind);

}  // namespace stitch::tokens
