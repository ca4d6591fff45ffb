// SPDX-License-Identifier: Apache-2.0
#include "base/text/fences.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stitch {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Fence {
  size_t ticks = 0;  // that begin it; as many or more end it
  std::string language{};
};

std::string lower_case_of(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view without_blanks(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<Fence> fence_in(std::string_view line) {
  const std::string_view text = without_blanks(line);
  const size_t ticks = std::min(text.find_first_not_of('`'), text.size());
  if (ticks < 3) {
    return std::nullopt;
  }
  const std::string_view rest = without_blanks(text.substr(ticks));
  return Fence{ticks, lower_case_of(rest.substr(0, rest.find_first_of(" \t{:")))};
}

}  // namespace

bool is_language_of_cuda(const std::string& language) {
  constexpr std::array<std::string_view, 11> kLanguages = {"",    "cuda", "cu", "cuh",      "cpp",     "c++",
                                                           "cxx", "cc",   "c",  "cuda-cpp", "cuda-c++"};
  return std::find(kLanguages.begin(), kLanguages.end(), language) != kLanguages.end() || language.ends_with(".cu");
}

Fences fences_in(std::string_view answer, const std::function<bool(const std::string& language)>& is_wanted) {
  Fences found;
  std::optional<Fence> open;
  std::string text;
  for (size_t at = 0; at < answer.size();) {
    const size_t end = std::min(answer.find('\n', at), answer.size());
    std::string_view line = answer.substr(at, end - at);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    line.remove_prefix(line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    at = end + 1;
    const std::optional<Fence> fence = fence_in(line);
    const bool is_opened_anew = fence.has_value() && !fence->language.empty() && is_wanted(fence->language);
    if (!open.has_value() || (is_opened_anew && fence->ticks >= open->ticks)) {
      open = fence;
      text.clear();
    } else if (fence.has_value() && fence->language.empty() && fence->ticks >= open->ticks) {
      if (is_wanted(open->language)) {
        found.last = FencedCode{open->language, text};
      }
      open.reset();
    } else {
      text += line;
      text += '\n';
    }
  }
  found.is_cut = open.has_value();
  return found;
}

}  // namespace stitch
