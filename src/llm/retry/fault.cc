// SPDX-License-Identifier: Apache-2.0
#include "llm/retry/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::llm {
namespace {

constexpr size_t kMaxToldBytes = 300;

bool may_pass(const Fault& fault) {
  if (fault.kind == FaultKind::kStatus) {
    return fault.status == 408 || fault.status == 409 || fault.status == 429 || fault.status >= 500;
  }
  return fault.kind == FaultKind::kBroken;
}

// OpenAI and vLLM: {"error": {"message"}}; others {"error": "..."}, {"message"}, {"detail"}, or a list of such, of
// which the first counts (Gemini, FastAPI with {"msg"}).
std::string message_in(const Json& body) {
  if (body.is_array() && !body.empty()) {
    return message_in(body.front());
  }
  for (const char* key : {"error", "message", "detail", "msg"}) {
    const auto found = body.is_object() ? body.find(key) : body.end();
    if (found == body.end()) {
      continue;
    }
    if (found->is_string()) {
      return found->get<std::string>();
    }
    if (found->is_object() || found->is_array()) {
      return message_in(*found);
    }
  }
  return "";
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Of a page of HTML, as proxies answer: what its title says.
std::string title_in(std::string_view body) {
  constexpr std::string_view kTitle = "<title>";
  const std::string page = lower(body);
  const size_t begin = page.find(kTitle);
  const size_t end = begin == std::string::npos ? begin : page.find("</title>", begin);
  return end == std::string::npos ? "" : std::string(body.substr(begin + kTitle.size(), end - begin - kTitle.size()));
}

std::string told_by(std::string_view body) {
  const Result<Json> json = parse_json(body, "an error");
  const std::string message = json.has_value() ? message_in(*json) : title_in(body);
  return printable_line(message.empty() ? body : std::string_view(message), kMaxToldBytes);
}

// As hosted APIs, vLLM, SGLang, llama.cpp and TGI say it, each in words of its own.
bool tells_too_long(int status, std::string_view body) {
  constexpr std::array<std::string_view, 8> kWords = {"context length", "context_length", "context size",
                                                      "context window", "too long",       "too large",
                                                      "max_tokens",     "max_new_tokens"};
  if (status != 400 && status != 413 && status != 422) {
    return false;
  }
  const std::string text = lower(body);
  return text.find("unsupported") == std::string::npos &&
         std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

constexpr const char* kTooLongRemedy =
    "lower max_tokens of the role's model, or have the server take longer contexts (32,768 tokens are enough)";

std::string remedy_of(const Fault& fault) {
  if (fault.is_too_long) {
    return kTooLongRemedy;
  }
  if (fault.kind == FaultKind::kStatus && fault.status >= 300 && fault.status < 400) {
    return "give the address that it leads to, if that is the endpoint you mean";
  }
  if (fault.kind == FaultKind::kTooSlow) {
    return "raise the endpoint's limits, or ask a faster one";
  }
  if (fault.kind == FaultKind::kBroken) {
    return "check that the endpoint's server runs and can be reached";
  }
  if (fault.kind == FaultKind::kTooLong) {
    return "raise the endpoint's max_bytes, or lower max_tokens";
  }
  switch (fault.kind == FaultKind::kStatus ? fault.status : 0) {
    case 401:
    case 403:
      return "check the endpoint's key";
    case 404:
      return "check the endpoint's address and the model's name";
    case 429:
      return "wait, or raise the endpoint's quota";
    default:
      return "run `stitchcuda doctor --llm`";
  }
}

}  // namespace

std::optional<int64_t> wait_before_retry(const RetryPolicy& policy, const Fault& fault, int64_t retries,
                                         double chance) {
  if (!may_pass(fault) || retries >= policy.retries) {
    return std::nullopt;
  }
  const double doubled =
      std::ldexp(static_cast<double>(policy.first_wait_ms), static_cast<int>(std::min<int64_t>(retries, 30)));
  const double wait = std::min(doubled, static_cast<double>(policy.max_wait_ms)) * (1 - chance / 2);
  const auto own_ms = static_cast<int64_t>(wait);
  if (!fault.retry_after_ms.has_value()) {
    return own_ms;
  }
  if (*fault.retry_after_ms > policy.max_retry_after_ms) {
    return std::nullopt;
  }
  return std::max(own_ms, *fault.retry_after_ms);
}

std::optional<int64_t> retry_after_ms(std::string_view header, int64_t now_seconds) {
  while (!header.empty() && header.front() == ' ') {
    header.remove_prefix(1);
  }
  while (!header.empty() && (header.back() == ' ' || header.back() == '\r' || header.back() == '\n')) {
    header.remove_suffix(1);
  }
  constexpr int64_t kMaxSeconds = int64_t{1} << 40;
  int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (problem == std::errc() && end == header.data() + header.size()) {
    return std::clamp<int64_t>(seconds, 0, kMaxSeconds) * 1000;
  }
  std::tm parts{};
  const std::string text(header);
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (rest == nullptr || *rest != '\0') {
    return std::nullopt;
  }
  return std::clamp<int64_t>(::timegm(&parts) - now_seconds, 0, kMaxSeconds) * 1000;
}

Fault fault_of_response(int status, std::string_view body, std::string_view leads_to) {
  const std::string told = told_by(body);
  Fault fault{.kind = FaultKind::kStatus, .status = status};
  fault.message = fmt::format("the endpoint answered with status {}", status);
  if (status >= 300 && status < 400) {
    const std::string to = printable_line(leads_to, kMaxToldBytes);
    fault.message += fmt::format(", which leads {}: keys are not sent on", to.empty() ? "elsewhere" : "to " + to);
  } else if (!told.empty()) {
    fault.message += ": " + told;
  }
  fault.is_too_long = tells_too_long(status, body);
  return fault;
}

Error error_of(const Fault& fault, const std::string& place) {
  const bool is_slow = fault.kind == FaultKind::kTooSlow;
  return {is_slow ? ErrorCode::kTimeout : ErrorCode::kEnvironment, fault.message, place, remedy_of(fault)};
}

bool is_too_long(const Error& error) { return error.remedy == kTooLongRemedy; }

}  // namespace stitch::llm
