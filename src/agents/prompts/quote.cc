// SPDX-License-Identifier: Apache-2.0
#include "agents/prompts/quote.h"

#include <fmt/format.h>

#include "base/text/printable.h"

namespace stitch::agents {
namespace {

// Where a line ends near `at`, so that no character and seldom a line is cut in two.
size_t line_end(std::string_view text, size_t at) {
  const size_t found = text.rfind('\n', at);
  return found == text.npos || found == 0 ? at : found + 1;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string cut_in_the_middle(std::string_view text, size_t max_bytes) {
  constexpr size_t kNoteBytes = 60;
  if (text.size() <= max_bytes) {
    return std::string(text);
  }
  const size_t room = max_bytes > kNoteBytes ? max_bytes - kNoteBytes : 0;
  size_t head = line_end(text, room * 2 / 3);
  size_t tail = text.size() - (room - head);
  while (head > 0 && continues_character(text[head])) {
    --head;
  }
  while (tail < text.size() && continues_character(text[tail])) {
    ++tail;
  }
  return fmt::format("{}\n[{} bytes are left out here]\n{}", text.substr(0, head), tail - head, text.substr(tail));
}

std::string quoted(std::string_view source, std::string_view text, size_t max_bytes) {
  std::string safe = printable_lines(cut_in_the_middle(text, max_bytes));
  for (size_t at = safe.find("</material"); at != std::string::npos; at = safe.find("</material", at)) {
    safe.replace(at, 2, "<\\/");
  }
  return fmt::format("<material from=\"{}\">\n{}{}</material>", source, safe,
                     safe.empty() || safe.back() == '\n' ? "" : "\n");
}

}  // namespace stitch::agents
