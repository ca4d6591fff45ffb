// SPDX-License-Identifier: Apache-2.0
// Texts of a run that its state knows by digest or number: code that was written, what was told of each attempt,
// what documents say about it, and what marks of it are computed from.
// They are kept before the event that follows from them, so that a run that was killed goes on.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.h"

namespace stitch::agents {

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& path() const { return folder_; }

  // Its digest.
  Result<std::string> keep_code(const std::string& text) const;
  // kFileInvalid where it is not there, or is another text.
  Result<std::string> code(const std::string& digest) const;
  Result<void> keep_told(int64_t attempt, const std::string& told) const;
  // Empty where nothing was told.
  std::string told(int64_t attempt) const;
  // What documents say about it.
  Result<void> keep_documents(int64_t attempt, const std::string& text) const;
  std::string documents(int64_t attempt) const;
  // What marks are computed from.
  Result<void> keep_facts(int64_t attempt, const std::string& text) const;
  std::string facts(int64_t attempt) const;

 private:
  std::filesystem::path code_path(const std::string& digest) const;
  std::filesystem::path told_path(int64_t attempt) const;
  std::filesystem::path documents_path(int64_t attempt) const;
  std::filesystem::path facts_path(int64_t attempt) const;

  std::filesystem::path folder_;
};

}  // namespace stitch::agents
