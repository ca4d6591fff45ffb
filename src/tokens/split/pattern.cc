// SPDX-License-Identifier: Apache-2.0
#include "tokens/split/pattern.h"

#include <array>
#include <cstdint>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include "base/text/printable.h"

namespace stitch::tokens {
namespace {

// White_Space of Unicode 6.3 and later, as the inside of a character class; and all else.
constexpr std::string_view kSpaces =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kOthers =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";

struct FreeCode {
  void operator()(const void* code) const { pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(code))); }
};
struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

Result<std::shared_ptr<const void>> compiled(const std::string& shown, const std::string& pattern, uint32_t options) {
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE where = 0;
  pcre2_code* const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                         options | PCRE2_UTF, &error, &where, context.get());
  if (code == nullptr) {
    return failure(
        ErrorCode::kFileInvalid,
        fmt::format("the pattern \"{}\" is not understood: {}", printable_line(shown, 200), message_of(error)), "",
        "correct tokenizer.json, or choose another tokenizer");
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where there is none, matching is slower and the same
  return std::shared_ptr<const void>(code, FreeCode());
}

}  // namespace

std::string with_spaces_spelled_out(std::string_view pattern) {
  std::string out;
  bool is_class = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char next = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (pattern[at] != '\\') {
      is_class = pattern[at] == '[' || (is_class && pattern[at] != ']');
      out += pattern[at];
    } else if (next == 's' || next == 'S') {
      const std::string_view inside = next == 's' ? kSpaces : kOthers;
      out += is_class ? std::string(inside) : fmt::format("[{}]", inside);
      ++at;
    } else {
      out += pattern.substr(at, 2);
      ++at;
    }
  }
  return out;
}

// Ruby's syntax, Oniguruma's own: ^ and $ stand at the ends of each line.
Result<Pattern> Pattern::compile(const std::string& pattern) {
  STITCH_ASSIGN(std::shared_ptr<const void> code, compiled(pattern, with_spaces_spelled_out(pattern),
                                                           PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C));
  return Pattern(std::move(code));
}

Result<Pattern> Pattern::literal(const std::string& text) {
  STITCH_ASSIGN(std::shared_ptr<const void> code, compiled(text, text, PCRE2_LITERAL));
  return Pattern(std::move(code));
}

Result<std::vector<Match>> Pattern::matches(std::string_view text) const {
  const auto* const code = static_cast<const pcre2_code*>(code_.get());
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data(pcre2_match_data_create(1, nullptr));
  const auto* const subject = reinterpret_cast<PCRE2_SPTR>(text.data() == nullptr ? "" : text.data());
  std::vector<Match> found;
  size_t at = 0;
  while (at < text.size()) {
    constexpr uint32_t kOptions = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
    int count = pcre2_match(code, subject, text.size(), at, kOptions, data.get(), nullptr);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) {
      count = pcre2_match(code, subject, text.size(), at, kOptions | PCRE2_NO_JIT, data.get(), nullptr);
    }
    if (count == PCRE2_ERROR_NOMATCH) {
      break;
    }
    if (count < 0) {
      return failure(ErrorCode::kFileInvalid,
                     fmt::format("the tokenizer's pattern could not be matched against a text of {} bytes: {}",
                                 text.size(), message_of(count)),
                     "", "split the text, or choose a tokenizer with a simpler pattern");
    }
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data.get());
    found.push_back({ends[0], ends[1]});
    at = ends[1];
  }
  return found;
}

}  // namespace stitch::tokens
