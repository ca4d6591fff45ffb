// SPDX-License-Identifier: Apache-2.0
#include "farm/place/gpu_place.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/text/printable.h"

namespace stitch::farm {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSentence = 1000;

Unexpected in_quarantine(const std::string& uuid, const std::string& why, const fs::path& file) {
  return failure(ErrorCode::kEnvironment, fmt::format("GPU {} is in quarantine: {}", uuid, why), file.string(),
                 "look at the GPU (nvidia-smi -q, dmesg); when it is well again, remove this file");
}

}  // namespace

Result<GpuPlace> GpuPlace::take(const fs::path& folder, const std::string& uuid) {
  const fs::path quarantine = folder / fmt::format("gpu-{}.quarantine", uuid);
  Result<std::string> why = read_file(quarantine);
  if (why.has_value()) {
    why->resize(why->find_last_not_of('\n') + 1);
    return in_quarantine(uuid, printable_line(*why, kMaxSentence), quarantine);
  }
  STITCH_ASSIGN(std::optional<FileSlot> slot, FileSlot::try_take(folder / fmt::format("gpu-{}.worker", uuid), 1));
  if (!slot.has_value()) {
    return failure(ErrorCode::kEnvironment, fmt::format("another worker has GPU {}", uuid), folder.string(),
                   "start one worker for each GPU: --device says which");
  }
  return GpuPlace(std::move(*slot), quarantine, uuid);
}

Result<void> GpuPlace::check(const Canary& canary) const {
  std::string why;
  for (int attempt = 0; attempt < 2; ++attempt) {
    STITCH_ASSIGN(why, canary());
    if (why.empty()) {
      return {};
    }
  }
  const std::string sentence = "a program that is known to be right failed twice: " + printable_line(why, kMaxSentence);
  STITCH_TRY(write_file(quarantine_, sentence + "\n"));
  return in_quarantine(uuid_, sentence, quarantine_);
}

}  // namespace stitch::farm
