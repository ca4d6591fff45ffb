// SPDX-License-Identifier: Apache-2.0
// What the service counts, and its text for Prometheus.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "store/interface/store.h"

namespace stitch::service {

class Counters {
 public:
  void add_answer(int status);
  void add_outcome(const std::string& outcome, double seconds, bool is_from_cache);
  void add_cancelled();
  // Of each asked judge: whether the marks had to do without it.
  void add_judged(bool is_fallback);
  // Over the last 200: more than one in twenty.
  bool is_judge_failing() const;

  struct Now {
    int64_t open = 0;
    int64_t max_open = 0;
    bool is_draining = false;
    bool is_store_up = false;
  };
  // The exposition format, version 0.0.4. `counts` is null where the store does not answer.
  std::string prometheus_text(const Now& now, const store::Counts* counts) const;

 private:
  double fallback_share() const;
  mutable std::mutex mutex_;
  std::map<int, int64_t> answers_;
  std::map<std::string, int64_t> outcomes_;
  int64_t cancelled_ = 0;
  int64_t from_cache_ = 0;
  double seconds_ = 0;
  std::deque<bool> judged_;  // the last ones
  int64_t judge_asked_ = 0;
  int64_t judge_fallbacks_ = 0;
};

}  // namespace stitch::service
