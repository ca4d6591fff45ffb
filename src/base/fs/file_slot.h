// SPDX-License-Identifier: Apache-2.0
// Places that processes of one machine share, each a file that the kernel locks: whoever dies leaves its place.
#pragma once

#include <filesystem>
#include <optional>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch {

class FileSlot {
 public:
  // One of FILE.0 ... FILE.(count-1), or nothing where all are taken.
  static Result<std::optional<FileSlot>> try_take(const std::filesystem::path& file, int count);
  // The same, after waiting for one of them.
  static Result<FileSlot> take(const std::filesystem::path& file, int count);

 private:
  explicit FileSlot(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;  // the lock goes with it
};

// Where such files lie: STITCHCUDA_NODE, else a folder of this user's under the system's temporary one. All who use a
// GPU of this machine must have the same.
std::filesystem::path node_folder();

}  // namespace stitch
