// SPDX-License-Identifier: Apache-2.0
#include "agents/journal/run_folder.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/hash/sha256.h"

namespace stitch::agents {

std::filesystem::path RunFolder::code_path(const std::string& digest) const {
  return folder_ / "code" / (digest.substr(0, 32) + ".cu");
}

std::filesystem::path RunFolder::told_path(int64_t attempt) const {
  return folder_ / "told" / fmt::format("{:04}.txt", attempt);
}

std::filesystem::path RunFolder::documents_path(int64_t attempt) const {
  return folder_ / "documents" / fmt::format("{:04}.txt", attempt);
}

std::filesystem::path RunFolder::facts_path(int64_t attempt) const {
  return folder_ / "facts" / fmt::format("{:04}.json", attempt);
}

Result<std::string> RunFolder::keep_code(const std::string& text) const {
  std::string digest = sha256_hex(text);
  STITCH_TRY(write_file(code_path(digest), text));
  return digest;
}

Result<std::string> RunFolder::code(const std::string& digest) const {
  Result<std::string> text = read_file(code_path(digest));
  if (!text.has_value() || sha256_hex(*text) != digest) {
    return failure(ErrorCode::kFileInvalid, "code that the run had written is missing or altered",
                   code_path(digest).string(), "begin the run again");
  }
  return text;
}

Result<void> RunFolder::keep_told(int64_t attempt, const std::string& told) const {
  return write_file(told_path(attempt), told);
}

Result<void> RunFolder::keep_documents(int64_t attempt, const std::string& text) const {
  return write_file(documents_path(attempt), text);
}

std::string RunFolder::documents(int64_t attempt) const {
  const Result<std::string> text = read_file(documents_path(attempt));
  return text.has_value() ? *text : "";
}

Result<void> RunFolder::keep_facts(int64_t attempt, const std::string& text) const {
  return write_file(facts_path(attempt), text);
}

std::string RunFolder::facts(int64_t attempt) const {
  const Result<std::string> text = read_file(facts_path(attempt));
  return text.has_value() ? *text : "";
}

std::string RunFolder::told(int64_t attempt) const {
  const Result<std::string> text = read_file(told_path(attempt));
  return text.has_value() ? *text : "";
}

}  // namespace stitch::agents
