// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>

namespace stitch::profile {
namespace {

constexpr size_t kMaxTimeline = 2000;
constexpr double kUs = 1e-3;  // of a nanosecond

Unexpected unfit(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "the timeline does not show the calls that were made: " + what, "",
                 "profile again; if it stays, name another profiler with --rung");
}

bool is_on_device(const Record& record) {
  return record.kind == RecordKind::kKernel || record.kind == RecordKind::kCopy || record.kind == RecordKind::kFill;
}

bool is_mark(const Record& record, uint64_t bytes) {
  return record.kind == RecordKind::kCopy && record.bytes == bytes && record.name == "device to device";
}

using Span = std::span<const Record>;

// What lies behind each mark, up to the next of either kind.
std::vector<Span> calls_alone(const std::vector<Record>& records, const ReplayMarks& marks) {
  std::vector<Span> calls;
  std::optional<size_t> begin;
  for (size_t index = 0; index <= records.size(); ++index) {
    const bool is_end = index == records.size();
    const bool starts = !is_end && is_mark(records[index], marks.mark_bytes);
    if (is_end || starts || is_mark(records[index], marks.row_bytes)) {
      if (begin.has_value()) {
        calls.emplace_back(records.data() + *begin, index - *begin);
      }
      begin = starts ? std::optional(index + 1) : std::nullopt;
    }
  }
  return calls;
}

// The marks that lie around it among it, first and last.
Result<Span> row_of(const std::vector<Record>& records, const ReplayMarks& marks) {
  std::vector<size_t> found;
  for (size_t index = 0; index < records.size(); ++index) {
    if (is_mark(records[index], marks.row_bytes)) {
      found.push_back(index);
    }
  }
  if (found.size() != 2) {
    return unfit(fmt::format("{} marks of two around the row of calls", found.size()));
  }
  return Span(records.data() + found[0], found[1] - found[0] + 1);
}

std::vector<const Record*> kernels_in(Span records) {
  std::vector<const Record*> kernels;
  for (const Record& record : records) {
    if (record.kind == RecordKind::kKernel) {
      kernels.push_back(&record);
    }
  }
  return kernels;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Result<std::vector<Kernel>> kernels_of(const std::vector<Span>& calls) {
  std::vector<std::vector<const Record*>> all;
  for (const Span& call : calls) {
    all.push_back(kernels_in(call));
    const bool is_alike = std::equal(all.back().begin(), all.back().end(), all.front().begin(), all.front().end(),
                                     [](const Record* left, const Record* right) { return left->name == right->name; });
    if (!is_alike) {
      return unfit(
          fmt::format("one call runs {} kernels and another {}, or others", all.front().size(), all.back().size()));
    }
  }
  std::vector<Kernel> kernels;
  for (size_t index = 0; index < all.front().size(); ++index) {
    std::vector<double> times;
    for (const std::vector<const Record*>& call : all) {
      times.push_back(static_cast<double>(call[index]->end_ns - call[index]->start_ns) * kUs);
    }
    Kernel kernel;
    kernel.name = all.front()[index]->name;
    kernel.launches = 1;
    kernel.time_us = median(std::move(times));
    kernel.shape = all.front()[index]->shape;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// Of intervals in the order of their starts, how long at least one is under way.
double busy_ns(Span records) {
  int64_t busy = 0;
  int64_t until = std::numeric_limits<int64_t>::min();
  for (const Record& record : records) {
    if (is_on_device(record) && record.end_ns > until) {
      busy += record.end_ns - std::max(record.start_ns, until);
      until = record.end_ns;
    }
  }
  return static_cast<double>(busy);
}

// What the program's host does: neither the replay's own marks, nor its waiting for the device behind them.
bool is_of_program(const Record& record, const Record& opening, const Record& closing) {
  return record.start_ns >= opening.end_ns && record.correlation != closing.correlation &&
         record.name.find("Synchronize") == std::string::npos;
}

Result<SystemFigures> system_of(Span marked, int calls) {
  const Span row = marked.subspan(1, marked.size() - 2);
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  SystemFigures system;
  std::map<std::string, Copies> copies;
  for (const Record& record : row) {
    const double us = static_cast<double>(record.end_ns - record.start_ns) * kUs;
    if (is_on_device(record)) {
      begin = std::min(begin, record.start_ns);
      end = std::max(end, record.end_ns);
    }
    system.launches += record.kind == RecordKind::kKernel ? 1 : 0;
    const bool is_hosts = is_of_program(record, marked.front(), marked.back());
    system.host_us += record.kind == RecordKind::kCall && is_hosts ? us : 0;
    system.waits += record.kind == RecordKind::kWait && record.start_ns >= marked.front().end_ns ? 1 : 0;
    if (record.kind == RecordKind::kCopy || record.kind == RecordKind::kFill) {
      const std::string kind = record.kind == RecordKind::kFill ? "fill" : record.name;
      Copies& sum = copies[kind];
      sum.kind = kind;
      sum.count += 1;
      sum.bytes += static_cast<double>(record.bytes);
      sum.time_us += us;
    }
  }
  if (!(end > begin)) {
    return unfit("nothing ran between the marks of the row of calls");
  }
  system.wall_us = static_cast<double>(end - begin) * kUs / calls;
  system.busy_us = busy_ns(row) * kUs / calls;
  system.launches /= calls;
  system.host_us /= calls;
  system.waits = std::max(0.0, system.waits - 1) / calls;  // the replay waits once, for the whole row
  for (auto& [kind, sum] : copies) {
    system.copies.push_back({kind, sum.count / calls, sum.bytes / calls, sum.time_us / calls});
  }
  return system;
}

const char* word_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::kKernel:
      return "kernel";
    case RecordKind::kCopy:
      return "copy";
    case RecordKind::kFill:
      return "fill";
    case RecordKind::kWait:
      return "wait";
    case RecordKind::kCall:
      return "call";
  }
  return "";
}

std::vector<TimelineEvent> timeline_of(Span call) {
  std::vector<TimelineEvent> events;
  for (const Record& record : call.first(std::min(call.size(), kMaxTimeline))) {
    const int64_t zero = call.front().start_ns;
    events.push_back({word_of(record.kind), record.name, static_cast<double>(record.start_ns - zero) * kUs,
                      static_cast<double>(record.end_ns - zero) * kUs});
  }
  return events;
}

}  // namespace

Result<Measurement> measurement_of(std::vector<Record> records, const ReplayMarks& marks, RungKind rung) {
  STITCH_CHECK(marks.calls > 0 && marks.mark_bytes != marks.row_bytes) << "marks that mark nothing";
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& left, const Record& right) { return left.start_ns < right.start_ns; });
  const std::vector<Span> calls = calls_alone(records, marks);
  if (calls.size() != static_cast<size_t>(marks.calls)) {
    return unfit(fmt::format("{} of {} calls alone are there", calls.size(), marks.calls));
  }
  Measurement measured;
  measured.rung = rung;
  STITCH_ASSIGN(measured.kernels, kernels_of(calls));
  STITCH_ASSIGN(const Span row, row_of(records, marks));
  STITCH_ASSIGN(measured.system, system_of(row, marks.calls));
  measured.timeline = timeline_of(calls.back());
  return measured;
}

}  // namespace stitch::profile
