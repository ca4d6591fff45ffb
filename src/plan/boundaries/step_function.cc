// SPDX-License-Identifier: Apache-2.0
// The name of a step's function carries the step's place in the program; code that was written for another place is
// given the one that it takes.
#include <fmt/format.h>

#include <cctype>

#include "plan/boundaries/boundary.h"

namespace stitch::plan {
namespace {

constexpr std::string_view kPrefix = "step_";

bool is_of_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The end of the identifier step_NN that begins at `at`; `at` where there is none.
size_t end_of_name(const std::string& code, size_t at) {
  size_t end = at + kPrefix.size();
  while (end < code.size() && std::isdigit(static_cast<unsigned char>(code[end])) != 0) {
    ++end;
  }
  const bool is_whole = (at == 0 || !is_of_identifier(code[at - 1])) && end > at + kPrefix.size() &&
                        (end == code.size() || !is_of_identifier(code[end]));
  return is_whole ? end : at;
}

// "step_03" of the first such function that the code names with its arguments; empty where it names none.
std::string function_name(const std::string& code) {
  for (size_t at = code.find(kPrefix); at != std::string::npos; at = code.find(kPrefix, at + 1)) {
    const size_t end = end_of_name(code, at);
    const size_t next = end == at ? std::string::npos : code.find_first_not_of(" \n", end);
    if (next != std::string::npos && code[next] == '(') {
      return code.substr(at, end - at);
    }
  }
  return {};
}

}  // namespace

Result<std::string> renumbered_code(const std::string& code, size_t number) {
  const std::string old_name = function_name(code);
  if (old_name.empty()) {
    return failure(ErrorCode::kFileInvalid, "the code of a written step defines no function step_NN", {},
                   "define extern \"C\" int step_00(const StepArgs* args, cudaStream_t stream)");
  }
  const std::string new_name = fmt::format("step_{:02}", number);
  std::string text;
  size_t copied = 0;
  for (size_t at = code.find(old_name); at != std::string::npos; at = code.find(old_name, at + 1)) {
    if (end_of_name(code, at) == at + old_name.size()) {
      text += code.substr(copied, at - copied) + new_name;
      copied = at + old_name.size();
    }
  }
  return text + code.substr(copied);
}

}  // namespace stitch::plan
