// SPDX-License-Identifier: Apache-2.0
#include "http/connection/message.h"

#include <algorithm>
#include <optional>

#include "base/json/json.h"

namespace stitch::http {
namespace {

std::optional<int> hex_digit(char letter) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto lower = static_cast<char>(letter >= 'A' && letter <= 'F' ? letter - 'A' + 'a' : letter);
  const size_t at = kDigits.find(lower);
  return at == std::string_view::npos ? std::optional<int>() : static_cast<int>(at);
}

// What is no escape stays as it is.
std::string unescaped(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool may_be = text[i] == '%' && i + 2 < text.size();
    const std::optional<int> high = may_be ? hex_digit(text[i + 1]) : std::nullopt;
    const std::optional<int> low = may_be ? hex_digit(text[i + 2]) : std::nullopt;
    if (high.has_value() && low.has_value()) {
      made += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      made += text[i] == '+' ? ' ' : text[i];
    }
  }
  return made;
}

}  // namespace

std::string Request::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}

Response refusal(int status, const std::string& sentence) {
  return {.status = status,
          .body = Json{{"error", sentence}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

void read_target(std::string_view target, Request& request) {
  const size_t mark = std::min(target.find('?'), target.size());
  request.path = std::string(target.substr(0, mark));
  for (size_t at = mark + 1; at < target.size();) {
    const size_t end = std::min(target.find('&', at), target.size());
    const std::string_view pair = target.substr(at, end - at);
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
    request.query[unescaped(pair.substr(0, equals))] = unescaped(value);
    at = end + 1;
  }
}

}  // namespace stitch::http
