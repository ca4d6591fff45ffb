// SPDX-License-Identifier: Apache-2.0
#include "base/parallel/for_each_parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace stitch {

Result<void> for_each_parallel(size_t count, int jobs, const std::function<Result<void>(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::optional<Error> first_error;
  const auto worker = [&] {
    for (size_t index = next.fetch_add(1); index < count; index = next.fetch_add(1)) {
      if (const Result<void> done = work(index); !done.has_value()) {
        const std::lock_guard lock(mutex);
        first_error = first_error.has_value() ? first_error : done.error();
        next.store(count);
      }
    }
  };
  const size_t wanted = jobs > 0 ? static_cast<size_t>(jobs) : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < std::min(wanted, count); ++i) {
      threads.emplace_back(worker);
    }
  }
  if (first_error.has_value()) {
    return failure(*first_error);
  }
  return {};
}

}  // namespace stitch
