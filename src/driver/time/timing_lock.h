// SPDX-License-Identifier: Apache-2.0
// One timing at a time on a GPU, whatever process asks: a lock on a file beside the database. Another GPU's timings do
// not wait for it.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>

#include "base/error/result.h"

namespace stitch::driver {

class TimingLock {
 public:
  // `folder`: that all who time on this machine share.
  explicit TimingLock(const std::filesystem::path& folder);

  // kEnvironment where the lock cannot be taken.
  Result<void> alone(const std::function<Result<void>()>& work);

 private:
  std::filesystem::path file_;
  std::mutex mutex_;
};

}  // namespace stitch::driver
