// SPDX-License-Identifier: Apache-2.0
// One worker's claim on one GPU of this machine, and whether that GPU may be trusted.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/fs/file_slot.h"

namespace stitch::farm {

// What is wrong with the device, found by a program whose right answer is known; empty: nothing is.
using Canary = std::function<Result<std::string>()>;

class GpuPlace {
 public:
  // kEnvironment with a sentence where another worker has the GPU, or it is in quarantine. `folder` is that of all
  // workers of this machine, `uuid` the GPU's.
  static Result<GpuPlace> take(const std::filesystem::path& folder, const std::string& uuid);

  // Asks the canary, and where it fails once more. Of two failures the GPU is quarantined: kEnvironment, here and for
  // every worker that comes, until a person removes the file that the sentence names.
  Result<void> check(const Canary& canary) const;

 private:
  GpuPlace(FileSlot slot, std::filesystem::path quarantine, std::string uuid)
      : slot_(std::move(slot)), quarantine_(std::move(quarantine)), uuid_(std::move(uuid)) {}
  FileSlot slot_;
  std::filesystem::path quarantine_;
  std::string uuid_;
};

}  // namespace stitch::farm
