// SPDX-License-Identifier: Apache-2.0
#include "tokens/chat/chat_jinja.h"

namespace stitch::tokens {
namespace {

constexpr std::string_view kChatMl =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + "
    "'\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
constexpr std::string_view kSmolLm2 =
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}{{ '<|im_start|>system\\nYou are "
    "a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\\n' }}{% endif %}{{ '<|im_start|>' + "
    "message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt "
    "%}{{ '<|im_start|>assistant\\n' }}{% endif %}";

}  // namespace

std::string_view jinja_of(ChatTemplate kind) {
  switch (kind) {
    case ChatTemplate::kChatMl:
      return kChatMl;
    case ChatTemplate::kSmolLm2:
      return kSmolLm2;
    case ChatTemplate::kQwen3:
      break;
  }
  return "";
}

}  // namespace stitch::tokens
