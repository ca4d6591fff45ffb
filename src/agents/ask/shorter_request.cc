// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/shorter_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "agents/prompts/quote.h"

namespace stitch::agents {
namespace {

constexpr int64_t kLeastTokens = 1'024;
constexpr size_t kLeastBytes = 800;  // of a piece of material: less is no longer worth cutting
constexpr std::string_view kOpen = "<material from=";
constexpr std::string_view kClose = "</material>";

// What stands between the marks of one piece of material.
struct Inside {
  llm::Message* message = nullptr;
  size_t begin = 0;
  size_t length = 0;
};

size_t bytes_in(const llm::ChatRequest& request) {
  size_t bytes = 0;
  for (const llm::Message& message : request.messages) {
    bytes += message.content.size();
  }
  return bytes;
}

Inside longest_material(llm::ChatRequest& request) {
  Inside longest;
  for (llm::Message& message : request.messages) {
    const std::string& text = message.content;
    for (size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
      const size_t begin = text.find('\n', at);
      const size_t end = begin == std::string::npos ? begin : text.find(kClose, begin);
      if (end == std::string::npos) {
        break;
      }
      if (end - begin - 1 > longest.length) {
        longest = {&message, begin + 1, end - begin - 1};
      }
      at = end;
    }
  }
  return longest;
}

}  // namespace

std::string make_shorter(llm::ChatRequest& request) {
  int64_t& tokens = request.sampling.max_tokens;
  if (tokens > kLeastTokens) {
    tokens = std::max(kLeastTokens, tokens / 4);
    return fmt::format("with at most {} tokens an answer", tokens);
  }
  const size_t before = bytes_in(request);
  while (bytes_in(request) > before / 4 * 3) {
    const Inside longest = longest_material(request);
    if (longest.length < kLeastBytes) {
      break;
    }
    const std::string inside = longest.message->content.substr(longest.begin, longest.length);
    std::string cut = cut_in_the_middle(inside, inside.size() / 2);
    cut += cut.ends_with('\n') ? "" : "\n";
    longest.message->content.replace(longest.begin, longest.length, cut);
  }
  const size_t after = bytes_in(request);
  return after < before ? fmt::format("without {} of its {} bytes", before - after, before) : "";
}

}  // namespace stitch::agents
