// SPDX-License-Identifier: Apache-2.0
#include "http/server/access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/process/descriptor.h"

namespace stitch::http {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMinTokenLength = 16;

Result<std::string> random_token() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return failure(ErrorCode::kEnvironment, "the system has no random numbers");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

Unexpected cannot(const char* verb, const fs::path& file) {
  return failure(ErrorCode::kEnvironment, fmt::format("cannot {} {}: {}", verb, file.string(), std::strerror(errno)),
                 file.string(), "name another file with --token-file");
}

Result<std::string> make_token(const fs::path& file) {
  STITCH_ASSIGN(std::string token, random_token());
  if (!file.parent_path().empty()) {
    STITCH_TRY(make_directories(file.parent_path()));
  }
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const std::string line = token + "\n";
  if (!made.is_open() || ::write(made.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return cannot("make", file);
  }
  return token;
}

// "127.0.0.1" of "127.0.0.1:80", "[::1]" of "[::1]:80".
std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool is_port = colon != std::string_view::npos &&
                       host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos &&
                       (host.front() != '[' || host[colon - 1] == ']');
  return is_port ? host.substr(0, colon) : host;
}

}  // namespace

Result<std::string> read_or_make_token(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) {
    return errno == ENOENT ? make_token(file) : Result<std::string>(cannot("read", file));
  }
  if ((facts.st_mode & 077u) != 0 || facts.st_uid != ::geteuid()) {
    return failure(ErrorCode::kUsage, fmt::format("others may read the token in {}", file.string()), file.string(),
                   fmt::format("chmod 600 {}", file.string()));
  }
  STITCH_ASSIGN(std::string token, read_file(file));
  while (!token.empty() && (token.back() == '\n' || token.back() == ' ' || token.back() == '\r')) {
    token.pop_back();
  }
  if (token.size() < kMinTokenLength || token.find_first_of(" \t\r\n") != std::string::npos) {
    return failure(ErrorCode::kUsage,
                   fmt::format("{} holds no token of at least {} characters", file.string(), kMinTokenLength),
                   file.string(), "remove it, and a new one is made");
  }
  return token;
}

// Digests are compared: they are of one length, and what is learned of a digest says nothing of the token.
bool is_authorized(std::string_view header, const std::string& token) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!header.starts_with(kScheme)) {
    return false;
  }
  const std::string given = sha256_hex(std::string(header.substr(kScheme.size())));
  const std::string right = sha256_hex(token);
  unsigned char difference = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (given[i] ^ right[i]));
  }
  return difference == 0;
}

bool is_local_host(std::string_view host) {
  if (host.empty()) {
    return false;
  }
  const std::string_view name = without_port(host);
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

bool is_allowed_origin(std::string_view origin) {
  if (origin.empty()) {
    return true;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return is_local_host(origin.substr(scheme.size()));
    }
  }
  return false;
}

}  // namespace stitch::http
