// SPDX-License-Identifier: Apache-2.0
#include "agents/retrieval/retriever.h"

#include <fmt/format.h>

#include "agents/prompts/quote.h"

namespace stitch::agents {
namespace {

std::string passages_as_text(const std::vector<knowledge::Passage>& passages) {
  std::string text;
  for (const knowledge::Passage& each : passages) {
    text += fmt::format("{}[{}] {}\n{}\n", text.empty() ? "" : "\n", each.id, each.title,
                        cut_in_the_middle(each.text, kMaxToldPassageBytes));
  }
  return text;
}

}  // namespace

Found Retriever::look_up(const knowledge::Query& query) {
  if (!places_.has_value()) {
    return {};
  }
  const auto given_up = [this](const Error& error) {
    places_.reset();
    library_.reset();
    return Found{.note = "no documents are looked up: " + error.message};
  };
  if (!library_.has_value()) {
    Result<knowledge::Library> opened = knowledge::Library::open(*places_);
    if (!opened.has_value()) {
      return given_up(opened.error());
    }
    library_.emplace(std::move(*opened));
  }
  const Result<std::vector<knowledge::Passage>> found = library_->search(query, kMaxToldPassages);
  return found.has_value() ? Found{.text = passages_as_text(*found)} : given_up(found.error());
}

}  // namespace stitch::agents
