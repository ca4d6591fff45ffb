// SPDX-License-Identifier: Apache-2.0
#include "store/open/redis_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace stitch::store {
namespace {

Unexpected no_address(const std::string& url, const std::string& why) {
  return failure(ErrorCode::kUsage, fmt::format("'{}' names no store of jobs: {}", url, why), "",
                 "say redis://HOST[:PORT][/DATABASE][?prefix=NAME&password-file=FILE]");
}

// Digits alone, up to `max`.
bool read_number(std::string_view text, int max, int* number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && stop == text.data() + text.size() && *number >= 0 && *number <= max;
}

Result<void> read_option(const std::string& url, std::string_view option, RedisUrl& read) {
  const size_t equals = std::min(option.find('='), option.size());
  const std::string_view name = option.substr(0, equals);
  const std::string value(option.substr(std::min(equals + 1, option.size())));
  const bool is_word = std::all_of(value.begin(), value.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
  });
  if (name == "prefix" && !value.empty() && is_word) {
    read.place.prefix = fmt::format("{{{}}}:", value);
  } else if (name == "password-file" && !value.empty()) {
    read.password_file = value;
  } else {
    return no_address(url, fmt::format("'{}' is no option of it", option));
  }
  return {};
}

Result<void> read_place(const std::string& url, std::string_view place, RedisUrl& read) {
  constexpr int kMaxPort = 65'535;
  constexpr int kMaxDatabase = 1'000'000;
  const size_t slash = place.find('/');
  if (slash != std::string_view::npos && slash + 1 < place.size() &&
      !read_number(place.substr(slash + 1), kMaxDatabase, &read.place.database)) {
    return no_address(url, "its database is no number");
  }
  const std::string_view server = place.substr(0, slash);
  if (server.find('@') != std::string_view::npos) {
    return no_address(url, "a password in it would be seen by all who list processes");
  }
  const size_t colon = server.rfind(':');
  const bool has_port = colon != std::string_view::npos && server.find(']') == std::string_view::npos;
  if (has_port && !read_number(server.substr(colon + 1), kMaxPort, &read.place.port)) {
    return no_address(url, "its port is no number up to 65535");
  }
  read.place.host = std::string(server.substr(0, has_port ? colon : std::string_view::npos));
  return read.place.host.empty() ? Result<void>(no_address(url, "it has no host")) : Result<void>();
}

}  // namespace

Result<RedisUrl> read_redis_url(const std::string& url) {
  std::string_view rest = url;
  rest.remove_prefix(rest.starts_with(kRedisScheme) ? kRedisScheme.size() : kValkeyScheme.size());
  RedisUrl read;
  const size_t question = rest.find('?');
  STITCH_TRY(read_place(url, rest.substr(0, question), read));
  std::string_view options = question == std::string_view::npos ? "" : rest.substr(question + 1);
  while (!options.empty()) {
    const size_t end = std::min(options.find('&'), options.size());
    STITCH_TRY(read_option(url, options.substr(0, end), read));
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return read;
}

}  // namespace stitch::store
