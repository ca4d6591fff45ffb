// SPDX-License-Identifier: Apache-2.0
// The folder of a run and its checkpoints:
//     config.json  metrics.jsonl  ckpt/LATEST  ckpt/step-<n>/MANIFEST.json and what it lists
// A checkpoint is written beside its name and renamed, and LATEST is written last, so that a run that is killed finds
// the one before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

struct CheckpointPlace {
  std::filesystem::path folder;
  int64_t step = 0;
};

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }

  // `fill` writes the files into the folder that it is given; their hashes, and `facts`, become the manifest. All of it
  // is on the disk before LATEST names it. Of the checkpoints before, `keep` - 1 stay.
  Result<void> write_checkpoint(int64_t step, int64_t keep, const Json& facts,
                                const std::function<Result<void>(const std::filesystem::path& folder)>& fill) const;

  // The one that LATEST names, none where there is no LATEST. kFileInvalid when a file of it is missing, was changed,
  // or is not in its manifest.
  Result<std::optional<CheckpointPlace>> latest() const;

 private:
  void remove_older(int64_t step, int64_t keep) const;
  std::filesystem::path path_;
};

// Cuts the file to its first `bytes`, which it must have; makes it, empty, where it is not there and `bytes` is 0.
Result<void> cut_file(const std::filesystem::path& path, int64_t bytes);

// Adds a line to the file, and gives its size.
Result<int64_t> append_line(const std::filesystem::path& path, const std::string& line);

}  // namespace stitch::train
