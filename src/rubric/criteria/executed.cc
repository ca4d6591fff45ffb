// SPDX-License-Identifier: Apache-2.0
#include "rubric/criteria/executed.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::rubric {
namespace {

// A kernel that takes less of the time is decoration: what it uses does not count.
constexpr double kRealPart = 0.1;

void add_call(const LaunchRecord& record, Executed& sum) {
  const std::string& name = record.name;
  if (record.is_library_product()) {
    sum.library_launches += record.launches;
    sum.library_epilogues += record.epilogues;
    sum.library_flops += static_cast<double>(record.library_flops);
  } else if (name.starts_with("cublas") || name.starts_with("cudnn")) {
    sum.library_plans += record.launches;
  } else if (name.starts_with("cudaMemcpy")) {
    sum.copies += record.launches;
  } else if (name.ends_with("Synchronize")) {
    sum.waits += record.launches;
  } else {
    sum.allocations += record.launches;
  }
}

void add_techniques(const LaunchRecord& record, Executed& sum) {
  sum.barriers += record.barriers;
  sum.warp_operations += record.warp_operations;
  sum.matrix_operations += record.matrix_operations;
  sum.async_copies += record.async_copies;
  sum.shared_bytes = std::max(sum.shared_bytes, record.barriers > 0 ? record.shared_bytes : 0);
}

// What happens in any call counts. What a call may do once to set itself up counts where it happens in most of them.
void divide(int64_t calls, Executed& sum) {
  for (int64_t Executed::*field : {&Executed::launches, &Executed::library_launches, &Executed::library_epilogues,
                                   &Executed::copies, &Executed::threads, &Executed::barriers,
                                   &Executed::warp_operations, &Executed::matrix_operations, &Executed::async_copies}) {
    const bool is_any = sum.*field > 0;
    sum.*field = std::max<int64_t>((sum.*field + calls / 2) / calls, is_any ? 1 : 0);
  }
  for (int64_t Executed::*field : {&Executed::library_plans, &Executed::waits, &Executed::allocations}) {
    sum.*field = (sum.*field + (calls - 1) / 2) / calls;
  }
  sum.library_flops /= static_cast<double>(calls);
}

bool is_empty_grid(const LaunchRecord& record) { return !record.is_library() && record.threads == 0; }

// An asynchronous copy moves sixteen bytes at most. Of less than this part of the bytes that have to be read, the
// others came by another way. Programs of ours are judged at reduced sizes, so that the sums do not compare.
constexpr double kRealBytes = 0.25;
constexpr double kBytesOfACopy = 16;

bool moves_too_little(const Facts& facts, const Executed& sum) {
  return facts.workload.has_value() && facts.plan.empty() &&
         static_cast<double>(sum.async_copies) * kBytesOfACopy < kRealBytes * facts.workload->bytes;
}

void take_away_idle(const Facts& facts, Executed& sum) {
  if (moves_too_little(facts, sum)) {
    sum.async_copies = 0;
  }
  if (!facts.source.has_value()) {
    return;
  }
  const SourceFacts& source = *facts.source;
  if (source.shared_arrays > 0 && source.idle_shared_arrays == source.shared_arrays) {
    sum.shared_bytes = 0;
  }
  if (source.copied_arrays > 0 && source.unread_copied_arrays == source.copied_arrays) {
    sum.async_copies = 0;
  }
  if (source.idle_shuffles > 0 && source.feature("warp_shuffle") == nullptr) {
    sum.warp_operations = 0;
  }
}

}  // namespace

Executed executed(const Facts& facts) {
  const std::vector<LaunchRecord>& launches = facts.launches->records;
  Executed sum;
  int64_t longest = -1;
  int64_t all_nanoseconds = 0;
  for (const LaunchRecord& record : launches) {
    const bool is_work = !record.is_idle && (!record.is_library() || record.is_library_product());
    all_nanoseconds += is_work ? record.nanoseconds : 0;
  }
  for (const LaunchRecord& record : launches) {
    if (record.is_library()) {
      add_call(record, sum);
      continue;
    }
    if (is_empty_grid(record)) {
      continue;
    }
    if (record.is_idle) {
      sum.launches += record.launches;  // they cost time all the same
      continue;
    }
    ++sum.kernels;
    sum.launches += record.launches;
    sum.threads += record.threads;
    if (static_cast<double>(record.nanoseconds) >= kRealPart * static_cast<double>(all_nanoseconds)) {
      add_techniques(record, sum);
    }
    if (record.nanoseconds > longest) {
      longest = record.nanoseconds;
      sum.blocks = record.launches > 0 ? record.blocks / record.launches : 0;
      sum.threads_per_block = record.blocks > 0 ? record.threads / record.blocks : 0;
      const size_t folder = record.file.find_last_of('/');
      sum.heaviest =
          fmt::format("launches: {} {}:{}", record.name,
                      folder == std::string::npos ? record.file : record.file.substr(folder + 1), record.line);
    }
  }
  divide(facts.launches->calls, sum);
  take_away_idle(facts, sum);
  return sum;
}

std::vector<std::string> cite(const Facts& facts, const std::vector<std::string>& features) {
  std::vector<std::string> citations;
  for (const std::string& name : features) {
    const SourceFeature* feature = facts.source.has_value() ? facts.source->feature(name) : nullptr;
    if (feature != nullptr) {
      citations.push_back("source: " + feature->location);
    }
  }
  return citations;
}

bool has_feature(const Facts& facts, const char* name) {
  return facts.source.has_value() && facts.source->feature(name) != nullptr;
}

bool is_verified(const Facts& facts) { return facts.verdict.has_value() && facts.verdict->kind == VerdictKind::kOk; }

}  // namespace stitch::rubric
