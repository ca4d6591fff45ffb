// SPDX-License-Identifier: Apache-2.0
#include "chat/key/key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/json/json.h"
#include "base/process/descriptor.h"

namespace stitch::chat {
namespace {

constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kMinSecretBytes = 8;
constexpr size_t kMinPartBytes = 3;
constexpr const char* kTakenOut = "[key]";
constexpr std::string_view kCut = "...";  // as printable_line() ends what is too long

Unexpected refused(const std::string& why, const std::string& place, const std::string& remedy) {
  return failure(ErrorCode::kEnvironment, why, place, remedy);
}

// What may stand in a header, and in JSON as it is.
Result<std::string> checked(std::string key, const std::string& place) {
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' ')) {
    key.pop_back();
  }
  const bool is_good = !key.empty() && key.size() <= kMaxKeyBytes &&
                       std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (!is_good) {
    return refused(key.empty() ? "the endpoint's key is empty" : "the endpoint's key holds what no key does", place,
                   "put the key there, on one line");
  }
  return key;
}

Result<std::string> key_in_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0) {
    return refused(fmt::format("the file of the endpoint's key cannot be read: {}", std::strerror(errno)), path,
                   "check the endpoint's key_file");
  }
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refused("the file of the endpoint's key may be read or written by others", path,
                   fmt::format("chmod 600 {}", path));
  }
  std::array<char, kMaxKeyBytes + 2> bytes{};
  const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
  return checked(std::string(bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))), path);
}

// How much of the end of `text` the key begins with.
size_t part_at_end(std::string_view text, std::string_view key) {
  size_t bytes = std::min(text.size(), key.size());
  while (bytes > 0 && !text.ends_with(key.substr(0, bytes))) {
    --bytes;
  }
  return bytes;
}

void take_out(std::string& text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    text.replace(at, key.size(), kTakenOut);
  }
  for (size_t at = text.find(kCut); at != std::string::npos; at = text.find(kCut, at + 1)) {
    if (const size_t part = part_at_end(std::string_view(text).substr(0, at), key); part >= kMinPartBytes) {
      text.replace(at - part, part, kTakenOut);
      at = text.find(kCut, at - part);
    }
  }
}

}  // namespace

Result<std::string> read_key(const llm::KeySource& source) {
  if (!source.file.empty()) {
    return key_in_file(source.file);
  }
  if (source.environment.empty()) {
    return std::string();
  }
  const char* value = std::getenv(source.environment.c_str());
  if (value == nullptr) {
    return refused(
        fmt::format("the environment has no variable {}, which is to hold the endpoint's key", source.environment),
        source.environment, fmt::format("export {}=..., or name a key_file", source.environment));
  }
  return checked(value, source.environment);
}

void redact(Json& json, std::string_view key) {
  if (key.size() < kMinSecretBytes) {
    return;
  }
  if (json.is_structured()) {
    for (Json& each : json) {
      redact(each, key);
    }
  } else if (json.is_string()) {
    take_out(json.get_ref<std::string&>(), key);
  }
}

}  // namespace stitch::chat
