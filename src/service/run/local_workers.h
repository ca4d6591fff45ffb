// SPDX-License-Identifier: Apache-2.0
// Workers of the service's own, on this machine, for who has no farm.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "farm/work/worker.h"

namespace stitch::service {

class LocalWorkers {
 public:
  // Each takes jobs of the class `build`, one at a time; `said` is told what becomes of them, from their threads. A
  // worker that cannot go on says so, and ends.
  LocalWorkers(int count, const std::string& store_url, const farm::JobPlace& place,
               std::function<void(const std::string&)> said);
  // The jobs under way have that long; then they are given back.
  void drain(double grace_seconds);
  // Drains at once.
  ~LocalWorkers();

 private:
  struct One {
    farm::WorkerOptions options;
    farm::Drain drain;
    farm::WorkerMetrics metrics;
    farm::WorkerEvents events;
    std::thread thread;
  };
  std::list<One> workers_;
};

}  // namespace stitch::service
