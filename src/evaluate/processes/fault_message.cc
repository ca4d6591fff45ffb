// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/fault_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <regex>
#include <vector>

namespace stitch::evaluate {
namespace {

constexpr std::string_view kEmulatorMark = "stitch-emulator: ";
constexpr size_t kMaxLineLength = 2000;  // std::regex recurses by the character

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, std::min(end, kMaxLineLength)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The process is the candidate's, which may print a mark and nothing behind it.
bool has_words(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char letter) { return std::isgraph(letter) != 0; });
}

std::string clean_file(std::string file) { return file.rfind("./", 0) == 0 ? file.substr(2) : file; }

// The place of a stack frame that lies in the candidate's own sources: they alone are named by relative paths.
std::string frame_location(const std::string& line) {
  static const std::regex kFrame(R"(^ *#\d+ 0x[0-9a-f]+ in .* ([^ /][^ ]*\.(?:cu|cuh|cc|cpp|h|hpp)):(\d+)(?::\d+)?$)");
  std::smatch match;
  return std::regex_match(line, match, kFrame) ? clean_file(match[1]) + ":" + match[2].str() : std::string();
}

// ==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x… at pc 0x…
// WRITE of size 4 at 0x… thread T0
//     #0 0x7f… in overrun_kernel(VectorCall) program.cu:9
std::optional<std::string> address_fault(const std::vector<std::string>& lines) {
  static const std::regex kHead(R"(^==\d+== ?ERROR: AddressSanitizer: (.*?)( on .*| \(pc .*|$))");
  static const std::regex kAccess(R"(^((?:READ|WRITE) of size \d+).*)");
  std::smatch match;
  size_t at = 0;
  while (at < lines.size() && !std::regex_match(lines[at], match, kHead)) {
    ++at;
  }
  if (at == lines.size()) {
    return std::nullopt;
  }
  std::string what = has_words(match[1]) ? match[1].str() : "a fault without a name";
  std::string location;
  for (++at; at < lines.size() && location.empty(); ++at) {
    if (std::smatch access; std::regex_match(lines[at], access, kAccess)) {
      what += ", " + access[1].str();
    }
    location = frame_location(lines[at]);
  }
  return location.empty() ? what : fmt::format("{}: {}", location, what);
}

// program.cu:9:15: runtime error: signed integer overflow …
std::optional<std::string> undefined_behaviour(const std::vector<std::string>& lines) {
  static const std::regex kError(R"(^([^ :]+):(\d+):(?:\d+:)? runtime error: (.*)$)");
  std::smatch match;
  for (const std::string& line : lines) {
    if (std::regex_match(line, match, kError)) {
      return fmt::format("{}:{}: {}", clean_file(match[1]), match[2].str(), match[3].str());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> reported_fault(std::string_view standard_error) {
  const std::vector<std::string> lines = lines_of(standard_error);
  for (const std::string& line : lines) {
    if (line.starts_with(kEmulatorMark) && has_words(line.substr(kEmulatorMark.size()))) {
      return line.substr(kEmulatorMark.size());
    }
  }
  if (std::optional<std::string> fault = address_fault(lines)) {
    return fault;
  }
  return undefined_behaviour(lines);
}

std::string fault_message(const ExitState& exit, std::string_view standard_error) {
  if (std::optional<std::string> fault = reported_fault(standard_error)) {
    return *fault;
  }
  const std::string last_words = [&] {
    std::vector<std::string> lines = lines_of(standard_error);
    while (!lines.empty() && lines.back().empty()) {
      lines.pop_back();
    }
    return lines.empty() ? std::string() : ": " + lines.back();
  }();
  if (exit.signal == SIGSYS) {
    return "the program was killed for starting a process past the C library (fork, vfork or clone), as its cage "
           "forbids" +
           last_words;
  }
  if (exit.signal != 0) {
    return fmt::format("the program was killed by signal {} ({}){}", exit.signal, ::strsignal(exit.signal), last_words);
  }
  return fmt::format("the program ended its process with status {}{}", exit.exit_code, last_words);
}

}  // namespace stitch::evaluate
