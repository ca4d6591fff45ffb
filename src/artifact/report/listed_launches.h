// SPDX-License-Identifier: Apache-2.0
// What ran on the device in all calls of a verdict together. Which call refuses a candidate follows from the seed; what
// the calls did, all taken together, hardly does.
#pragma once

#include <cstdint>
#include <vector>

#include "artifact/report/launch_record.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

struct ListedLaunches {
  // What a record took in each call that had it, of the last ones.
  struct Times {
    std::vector<int64_t> nanoseconds;
    int64_t calls = 0;
  };

  // Of all calls, added up by kernel; without what they did to memory. Nanoseconds are the median call's, as often as
  // there were calls: a busy machine makes some calls long, and no mark may follow from that.
  std::vector<LaunchRecord> records;
  int64_t calls = 0;
  int64_t calls_without_work = 0;  // in which no kernel had a thread and no library computed a product
  std::vector<Times> times;        // of each record

  // Adds one call's list. Past 4096 kernels others are left out.
  void add(const std::vector<LaunchRecord>& call);
};

// Whether both are one kernel launched from one place, or one function of a library.
bool is_same_kernel(const LaunchRecord& left, const LaunchRecord& right);

// {"launches": the records, "calls": {"listed", "without_work"}}, added to `json`.
void add_launches(const ListedLaunches& launches, Json& json);
// What add_launches() wrote. Facts of one call alone, as they were once written, have no "calls". kFileInvalid for
// another form.
Result<ListedLaunches> listed_launches_from_json(const Json& json);

}  // namespace stitch
