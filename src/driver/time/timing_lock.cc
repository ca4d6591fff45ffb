// SPDX-License-Identifier: Apache-2.0
#include "driver/time/timing_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "base/process/descriptor.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

std::string lock_name() {
  const Result<std::string> gpu = toolchain::gpu_uuid();
  return fmt::format("timing-{}.lock", gpu.has_value() ? *gpu : "unknown");
}

}  // namespace

TimingLock::TimingLock(const std::filesystem::path& folder) : file_(folder / lock_name()) {}

Result<void> TimingLock::alone(const std::function<Result<void>()>& work) {
  const std::lock_guard own_threads(mutex_);
  const Descriptor descriptor(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (descriptor.get() < 0 || ::flock(descriptor.get(), LOCK_EX) != 0) {
    return failure(ErrorCode::kEnvironment, "the lock of timings cannot be taken", file_.string());
  }
  return work();
}

}  // namespace stitch::driver
