// SPDX-License-Identifier: Apache-2.0
// What templates put their text into.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "tokens/chat/chat.h"

namespace stitch::tokens {

class PieceList {
 public:
  void text(std::string_view text) {
    if (pieces_.empty() || pieces_.back().is_control) {
      pieces_.push_back({});
    }
    pieces_.back().text += text;
  }
  void control(std::string_view token) { pieces_.push_back({std::string(token), true}); }
  // "<|im_start|>user\n"
  void begin(std::string_view role) {
    control("<|im_start|>");
    text(role);
    text("\n");
  }
  void end() {
    control("<|im_end|>");
    text("\n");
  }
  std::vector<ChatPiece> take() && { return std::move(pieces_); }

 private:
  std::vector<ChatPiece> pieces_;
};

std::string_view to_string(Role role);
Result<std::vector<ChatPiece>> qwen3_pieces(const Conversation& conversation);

}  // namespace stitch::tokens
