// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/listed_launches.h"

#include <algorithm>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr size_t kMaxTimes = 255;  // of a record: the median of so many says as much as that of all

int64_t sum(int64_t left, int64_t right) { return std::min(left + right, kMaxLaunchNumber); }

void add_record(const LaunchRecord& record, LaunchRecord& into) {
  for (int64_t LaunchRecord::*field :
       {&LaunchRecord::launches, &LaunchRecord::blocks, &LaunchRecord::threads, &LaunchRecord::barriers,
        &LaunchRecord::warp_operations, &LaunchRecord::matrix_operations, &LaunchRecord::async_copies,
        &LaunchRecord::library_flops, &LaunchRecord::epilogues}) {
    into.*field = sum(into.*field, record.*field);
  }
  into.shared_bytes = std::max(into.shared_bytes, record.shared_bytes);
  into.is_idle = into.is_idle || record.is_idle;
}

// Returns the median call's times the number of calls.
int64_t add_time(int64_t nanoseconds, ListedLaunches::Times& times) {
  const auto place = static_cast<size_t>(times.calls++) % kMaxTimes;
  times.nanoseconds.resize(std::max(times.nanoseconds.size(), place + 1));
  times.nanoseconds[place] = nanoseconds;
  std::vector<int64_t> sorted = times.nanoseconds;
  const auto median = sorted.begin() + static_cast<int64_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), median, sorted.end());
  return *median > kMaxLaunchNumber / times.calls ? kMaxLaunchNumber : *median * times.calls;
}

}  // namespace

bool is_same_kernel(const LaunchRecord& left, const LaunchRecord& right) {
  return left.line == right.line && left.name == right.name && left.file == right.file;
}

void ListedLaunches::add(const std::vector<LaunchRecord>& call) {
  ++calls;
  calls_without_work += std::none_of(call.begin(), call.end(), [](const LaunchRecord& each) { return each.is_work(); });
  times.resize(records.size());
  for (const LaunchRecord& record : call) {
    const auto known = std::find_if(records.begin(), records.end(),
                                    [&](const LaunchRecord& each) { return is_same_kernel(each, record); });
    if (known != records.end()) {
      add_record(record, *known);
      known->nanoseconds = add_time(record.nanoseconds, times[static_cast<size_t>(known - records.begin())]);
    } else if (records.size() < kMaxLaunchRecords) {
      records.push_back(record);
      records.back().accesses.reset();
      records.back().step = -1;
      add_time(record.nanoseconds, times.emplace_back());
    }
  }
}

void add_launches(const ListedLaunches& launches, Json& json) {
  json["launches"] = to_json(launches.records);
  json["calls"] = {{"listed", launches.calls}, {"without_work", launches.calls_without_work}};
}

Result<ListedLaunches> listed_launches_from_json(const Json& json) {
  ListedLaunches launches;
  STITCH_ASSIGN(const std::vector<LaunchRecord> records, launch_records_from_json(json, "launches"));
  launches.add(records);
  if (!json.contains("calls")) {
    return launches;
  }
  STITCH_ASSIGN(const Json* calls, json_object(json, "calls"));
  STITCH_ASSIGN(launches.calls, json_int(*calls, "listed"));
  STITCH_ASSIGN(launches.calls_without_work, json_int(*calls, "without_work"));
  if (launches.calls < 1 || launches.calls_without_work < 0 || launches.calls_without_work > launches.calls) {
    return failure(ErrorCode::kFileInvalid, "calls were listed that cannot have been");
  }
  return launches;
}

}  // namespace stitch
