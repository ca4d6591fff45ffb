// SPDX-License-Identifier: Apache-2.0
#include "driver/written/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/text/printable.h"

namespace stitch::driver {
namespace {

constexpr std::string_view kScratch = "scratch:";
constexpr std::string_view kSizes = "sizes:";
constexpr std::string_view kSpaces = " \t\r";
constexpr size_t kMaxTold = 80;

std::string_view stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

std::optional<int64_t> number_in(std::string_view text) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

// "h[0]"
std::optional<plan::Axis> axis_in(std::string_view text) {
  const size_t open = text.find('[');
  if (open == 0 || open == text.npos || !text.ends_with(']')) {
    return std::nullopt;
  }
  const std::string_view name = stripped(text.substr(0, open));
  const bool is_name = std::all_of(name.begin(), name.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  const std::optional<int64_t> axis = number_in(stripped(text.substr(open + 1, text.size() - open - 2)));
  return is_name && axis.has_value() ? std::optional(plan::Axis{std::string(name), *axis}) : std::nullopt;
}

// "4 * h[0] * h[1]"
std::optional<plan::ScratchTerm> term_in(std::string_view text) {
  plan::ScratchTerm term{.bytes = 1, .axes = {}};
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('*', at), text.size());
    const std::string_view factor = stripped(text.substr(at, end - at));
    at = end + 1;
    if (const std::optional<int64_t> bytes = number_in(factor); bytes.has_value()) {
      if (__builtin_mul_overflow(term.bytes, *bytes, &term.bytes)) {
        return std::nullopt;
      }
    } else if (std::optional<plan::Axis> axis = axis_in(factor); axis.has_value()) {
      term.axes.push_back(std::move(*axis));
    } else {
      return std::nullopt;
    }
  }
  return term;
}

// Why the declaration is none; empty where it is one, or where the line declares nothing.
std::string take_line(std::string_view line, plan::WrittenCode& written) {
  line = stripped(line);
  if (!line.starts_with("//")) {
    return "";
  }
  line = stripped(line.substr(2));
  if (line.starts_with(kSizes)) {
    const std::string_view sizes = stripped(line.substr(kSizes.size()));
    if (sizes != "own" && sizes != "any") {
      return fmt::format("\"// {}\" declares neither \"own\" nor \"any\" sizes", printable_line(line, kMaxTold));
    }
    written.holds_for = sizes == "own" ? plan::HoldsFor::kOwnSizes : plan::HoldsFor::kAnySizes;
  } else if (line.starts_with(kScratch)) {
    std::optional<plan::ScratchTerm> term = term_in(line.substr(kScratch.size()));
    if (!term.has_value()) {
      return fmt::format(
          "\"// {}\" is no scratch memory: write bytes times extents, as \"// scratch: 4 * x[0] * x[1]\"",
          printable_line(line, kMaxTold));
    }
    written.scratch.push_back(std::move(*term));
  }
  return "";
}

}  // namespace

std::variant<plan::WrittenCode, BadDeclaration> written_code_from_text(const std::string& text) {
  plan::WrittenCode written{text, plan::HoldsFor::kAnySizes, {}};
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (std::string why = take_line(std::string_view(text).substr(at, end - at), written); !why.empty()) {
      return BadDeclaration{std::move(why)};
    }
    at = end + 1;
  }
  return written;
}

}  // namespace stitch::driver
