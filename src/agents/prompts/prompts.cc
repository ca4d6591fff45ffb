// SPDX-License-Identifier: Apache-2.0
#include "agents/prompts/prompts.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "base/error/check.h"
#include "base/fs/files.h"
#include "base/hash/sha256.h"

namespace stitch::agents {
namespace {

struct BuiltIn {
  const char* name;
  const char* text;
};
constexpr std::array kBuiltIn = std::to_array<BuiltIn>({
#define STITCH_TEXT(name, text) {name, text},
#include "agents/prompts/texts.def"
#undef STITCH_TEXT
});

// Calls take_text for what stands between places, and take_place with the name of each.
template <typename TakeText, typename TakePlace>
void walk(std::string_view text, const TakeText& take_text, const TakePlace& take_place) {
  while (!text.empty()) {
    const size_t begin = text.find("{{");
    const size_t end = begin == text.npos ? text.npos : text.find("}}", begin);
    if (end == text.npos) {
      return take_text(text);
    }
    take_text(text.substr(0, begin));
    take_place(std::string(text.substr(begin + 2, end - begin - 2)));
    text.remove_prefix(end + 2);
  }
}

std::set<std::string> places_in(std::string_view text) {
  std::set<std::string> names;
  walk(text, [](std::string_view) {}, [&](const std::string& name) { names.insert(name); });
  return names;
}

}  // namespace

Result<Prompts> Prompts::load(const std::filesystem::path& folder) {
  Prompts prompts;
  for (const BuiltIn& each : kBuiltIn) {
    prompts.texts_[each.name] = each.text;
  }
  if (folder.empty()) {
    return prompts;
  }
  STITCH_TRY(prompts.take_folder(folder, ""));
  std::error_code ignored;
  if (std::filesystem::is_directory(folder / "compact", ignored)) {
    STITCH_TRY(prompts.take_folder(folder / "compact", "compact/"));
  }
  return prompts;
}

Result<void> Prompts::take_folder(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    const auto known = texts_.find(prefix + entry.path().stem().string());
    if (known == texts_.end()) {
      return failure(ErrorCode::kUsage,
                     fmt::format("no prompt is called {}{}", prefix, entry.path().filename().string()),
                     entry.path().string(), "name it as one of prompts/*.md");
    }
    STITCH_ASSIGN(std::string text, read_file(entry.path()));
    if (places_in(text) != places_in(known->second)) {
      return failure(ErrorCode::kUsage, "the prompt's {{places}} differ from those of the built-in one",
                     entry.path().string(), "keep every {{place}} of the built-in prompt, and no other");
    }
    known->second = std::move(text);
  }
  return failed ? Result<void>(failure(ErrorCode::kUsage, "the folder of prompts cannot be read: " + failed.message(),
                                       folder.string()))
                : Result<void>();
}

std::string Prompts::fill(std::string_view name, const std::map<std::string, std::string>& places) const {
  const auto found = texts_.find(name);
  STITCH_CHECK(found != texts_.end()) << "no prompt is called " << name;
  std::string filled;
  walk(
      found->second, [&](std::string_view text) { filled += text; },
      [&](const std::string& place) {
        const auto value = places.find(place);
        STITCH_CHECK(value != places.end()) << "prompt " << name << " has a place " << place << " that nobody fills";
        filled += value->second;
      });
  return filled;
}

std::map<std::string, std::string> Prompts::digests() const {
  std::map<std::string, std::string> digests;
  for (const auto& [name, text] : texts_) {
    digests[name] = sha256_hex(text);
  }
  return digests;
}

}  // namespace stitch::agents
