// SPDX-License-Identifier: Apache-2.0
#include "agents/coder/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/text/fences.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxCodeBytes = 256u << 10;
constexpr size_t kMaxReasonBytes = 300;
constexpr std::string_view kCannot = "cannot, because";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<std::string> reason_in(const std::string& answer) {
  const size_t at = lower(answer).find(kCannot);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view rest = trimmed(std::string_view(answer).substr(at + kCannot.size()));
  return printable_line(rest.substr(0, rest.find("\n\n")), kMaxReasonBytes);
}

}  // namespace

CoderAnswer coder_answer_from_text(const std::string& answer) {
  const Fences fences = fences_in(answer, is_language_of_cuda);
  if (fences.is_cut) {
    return NoCode{"the answer ends within its code: it was cut"};
  }
  if (fences.last.has_value()) {
    if (trimmed(fences.last->text).find_first_not_of('\n') == std::string_view::npos) {
      return NoCode{"the answer's code is empty"};
    }
    if (fences.last->text.size() > kMaxCodeBytes || fences.last->text.find('\0') != std::string::npos) {
      return NoCode{fmt::format("the answer's code has more than {} bytes, or bytes of no text", kMaxCodeBytes)};
    }
    return StepCode{fences.last->text};
  }
  if (std::optional<std::string> why = reason_in(answer); why.has_value() && !why->empty()) {
    return CannotWrite{std::move(*why)};
  }
  return NoCode{"the answer holds no fence of code and no \"cannot, because\""};
}

}  // namespace stitch::agents
