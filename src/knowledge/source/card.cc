// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/card.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace stitch::knowledge {
namespace {

constexpr std::array kNeededParts = {"When", "Do", "Gain", "Check", "Pitfalls"};
constexpr const char* kMessages = "Messages";

Unexpected bad_card(const std::string& name, const std::string& why) {
  return failure(ErrorCode::kFileInvalid, fmt::format("the card {} {}", name, why), name,
                 "unpack stitchcuda's files again");
}

// "- **When:** text" to "When" and what follows it, lines joined.
std::map<std::string, std::string> parts_of(std::string_view text) {
  std::map<std::string, std::string> parts;
  std::string* current = nullptr;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const size_t name_end = line.starts_with("- **") ? line.find(":**") : std::string_view::npos;
    if (name_end != std::string_view::npos) {
      current = &parts[std::string(line.substr(4, name_end - 4))];
      line.remove_prefix(name_end + 3);
    }
    if (current != nullptr) {
      *current += std::string(line) + " ";
    }
  }
  return parts;
}

}  // namespace

Result<Document> read_card(const std::string& name, std::string_view text) {
  Document card{.id = "card:" + name, .origin = Origin::kCard};
  if (!text.starts_with("# ")) {
    return bad_card(name, "does not begin with its title");
  }
  card.title = std::string(text.substr(2, text.find('\n') - 2));
  card.body = std::string(text);
  std::map<std::string, std::string> parts = parts_of(text);
  for (const char* part : kNeededParts) {
    if (parts[part].find_first_not_of(' ') == std::string::npos) {
      return bad_card(name, fmt::format("does not say '{}'", part));
    }
  }
  if (parts.size() > kNeededParts.size() + parts.count(kMessages)) {
    return bad_card(name, "has a part that no card has");
  }
  card.when = parts["When"];
  card.messages = parts.count(kMessages) > 0 ? parts[kMessages] : "";
  return card;
}

}  // namespace stitch::knowledge
