// SPDX-License-Identifier: Apache-2.0
// What a worker counts, and its text for Prometheus.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "store/interface/store.h"

namespace stitch::farm {

// Written by the worker, read by who asks.
struct WorkerMetrics {
  std::atomic<int64_t> done = 0;
  std::atomic<int64_t> refused = 0;     // texts that are no jobs
  std::atomic<int64_t> given_back = 0;  // the machine failed, or the worker drained
  std::atomic<int64_t> cancelled = 0;
  std::atomic<int64_t> busy_ms = 0;
  std::atomic<bool> is_busy = false;
  std::atomic<bool> is_draining = false;
  std::atomic<bool> is_quarantined = false;
};

struct MetricLabels {
  std::string worker;
  std::string job_class;
  std::string device;
};

// The exposition format, version 0.0.4. `counts` is null where the store does not answer: then it says so.
std::string prometheus_text(const WorkerMetrics& metrics, const MetricLabels& labels, const store::Counts* counts);

}  // namespace stitch::farm
