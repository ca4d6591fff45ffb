// SPDX-License-Identifier: Apache-2.0
// A few threads that live as long as this does, each with a Python process of its own: a child ends with the thread
// that started it, so that threads of one piece of work would load PyTorch for each.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "synth/make/task_process.h"

namespace stitch::synth {

class Lanes {
 public:
  // Both must outlive it.
  Lanes(int count, const driver::Options& options, const driver::Services& services);
  ~Lanes();

  using Work = std::function<Result<void>(TaskProcess&, size_t)>;
  // Does work(process, 0) ... work(process, count - 1), waits for all, and answers with the first failure. After one no
  // further piece is begun.
  Result<void> run(size_t count, const Work& work);

 private:
  void serve(const driver::Options& options, const driver::Services& services);

  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;
  size_t next_ = 0;
  size_t count_ = 0;
  size_t running_ = 0;
  bool ends_ = false;
  Result<void> result_;
  std::vector<std::jthread> threads_;
};

}  // namespace stitch::synth
