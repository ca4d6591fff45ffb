// SPDX-License-Identifier: Apache-2.0
#include "toolchain/diagnostics/parse.h"

#include <cstdlib>
#include <optional>
#include <regex>

namespace stitch::toolchain {
namespace {

Severity severity_of(const std::string& word) {
  if (word.find("error") != std::string::npos || word == "fatal") {
    return Severity::kError;
  }
  return word.find("warning") != std::string::npos ? Severity::kWarning : Severity::kNote;
}

std::string clean_file(std::string file) {
  while (file.rfind("./", 0) == 0) {
    file.erase(0, 2);
  }
  return file;
}

std::optional<Diagnostic> parse_line(const std::string& line, const std::string& unit) {
  // steps/00_add.cu:12:5: error: 'x' was not declared in this scope
  static const std::regex kGcc(R"(^([^\s:(][^:(]*):(\d+):(?:\d+:)? *(fatal error|error|warning|note): (.*)$)");
  // steps/00_add.cu(12): error: identifier "x" is undefined
  static const std::regex kNvcc(
      R"(^([^\s(][^(]*)\((\d+)\): *(catastrophic error|error|warning|remark)(?: #[\w-]+)? *: (.*)$)");
  // ptxas /tmp/tmpxft_00000a_00.ptx, line 27; error   : Arguments mismatch     and without a place:
  // ptxas error   : Entry function '_Z3addPf' uses too much shared data (0x14000 bytes, 0xc000 max)
  static const std::regex kPtxas(R"(^(?:ptxas|nvlink)(?: [^,]*, line \d+;)? *(fatal|error|warning|info) *: (.*)$)");
  // /usr/bin/ld: steps/00_add.o: in function ...: undefined reference to `x'
  static const std::regex kLinker(R"(^(?:\S*/)?ld: (.*)$)");
  std::smatch match;
  if (std::regex_match(line, match, kGcc) || std::regex_match(line, match, kNvcc)) {
    return Diagnostic{severity_of(match[3]), clean_file(match[1]), std::atoi(match[2].str().c_str()), match[4]};
  }
  if (std::regex_match(line, match, kPtxas)) {
    return Diagnostic{severity_of(match[1]), unit, 0, "ptxas: " + match[2].str()};
  }
  if (std::regex_match(line, match, kLinker)) {
    return Diagnostic{Severity::kError, unit, 0, "linker: " + match[1].str()};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view text, const std::string& unit) {
  constexpr size_t kMaxLineLength = 4000;  // std::regex recurses by the character
  std::vector<Diagnostic> diagnostics;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, std::min(end, kMaxLineLength)));
    if (std::optional<Diagnostic> diagnostic = parse_line(line, unit)) {
      diagnostics.push_back(std::move(*diagnostic));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return diagnostics;
}

}  // namespace stitch::toolchain
