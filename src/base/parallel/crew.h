// SPDX-License-Identifier: Apache-2.0
// Short-lived threads, all of which are over when this is.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace stitch {

class Crew {
 public:
  Crew() : state_(std::make_shared<State>()) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { wait(); }

  void start(std::function<void()> work);
  void wait();

 private:
  // Shared with the threads, which let go of it last of all.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int running = 0;
  };
  std::shared_ptr<State> state_;
};

}  // namespace stitch
