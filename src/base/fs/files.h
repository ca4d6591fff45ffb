// SPDX-License-Identifier: Apache-2.0
// Files whole: read, and write so that a reader never sees half a file and a failure leaves what was there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch {

Result<std::string> read_file(const std::filesystem::path& path);

// Writes beside `path`, then renames. Makes missing parent folders.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

Result<void> make_directories(const std::filesystem::path& path);

// A private, new folder PREFIX-PROCESS-XXXXXX under the system's temporary folder (or under `parent`), removed with all
// it holds on destruction, and when this process is killed (base/process/last_will.h).
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make(const std::string& prefix, const std::filesystem::path& parent = {});
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }
  // Leaves the folder in place: it shall stay, or was moved away.
  void release();

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Removes folders of such names in `parent` whose process is gone: it was killed together with its last will.
void remove_leftovers(const std::filesystem::path& parent, const std::string& prefix);

// Removes every TemporaryDirectory that is alive in this process; for the moment before it ends out of turn.
void remove_temporary_directories();

}  // namespace stitch
