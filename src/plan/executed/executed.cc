// SPDX-License-Identifier: Apache-2.0
#include "plan/executed/executed.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/builtin_templates.h"

namespace stitch::plan {
namespace {

// What the runtime lists, but no device does.
bool is_work(const LaunchRecord& record) {
  return !record.is_library() || record.library_flops > 0 || record.name.starts_with("cudaMemcpy") ||
         record.name.starts_with("cudaMemset");
}

double number(int64_t count) { return static_cast<double>(count); }

// One record's launches, each at the declared sizes.
struct Launch {
  const LaunchRecord* record = nullptr;
  double times = 0;
  LaunchWork work{};  // flops: on all pipes together, its share of the graph's
  double atomics = 0;

  double library_flops() const { return number(record->library_flops) / number(record->launches); }
  double tensor_flops() const { return work.tf32_flops + work.half_flops; }
  // What its share of the graph's arithmetic follows, where there are no products on tensor cores.
  double traffic() const { return work.sectors + work.wavefronts; }
};

// How counts grow from the sizes that ran to the declared ones.
struct Growth {
  double bytes = 1;
  double flops = 1;
  double launches = 1;
  double results = 1;
};

double ratio(double declared, double ran) { return ran > 0 && declared > 0 ? declared / ran : 1; }

Growth growth_of(const LeastWork& ran, const LeastWork& declared) {
  Growth growth;
  growth.bytes = ratio(declared.bytes, ran.bytes);
  growth.flops = ran.flops > 0 ? ratio(declared.flops, ran.flops) : growth.bytes;
  growth.launches = ratio(declared.launches, ran.launches);
  growth.results = ratio(declared.result_bytes, ran.result_bytes);
  return growth;
}

// A recurrent layer launches more kernels of the same size: what one of them does grows less.
Growth per_launch(Growth growth) {
  growth.bytes /= growth.launches;
  growth.flops /= growth.launches;
  growth.results /= growth.launches;
  return growth;
}

// What grows with the arithmetic: all that is beyond the least, and what a kernel does that computes products. One that
// only moves what it must grows as that does.
double growth_of_sectors(const MemoryAccesses& accesses, double least_bytes, const Growth& each) {
  const double sectors = number(accesses.sectors());
  const double least = std::min(sectors, least_bytes / kSectorBytes);
  return sectors > 0 ? (least * each.bytes + (sectors - least) * each.flops) / sectors : each.bytes;
}

Launch carried(const LaunchRecord& record, double least_bytes, const Growth& growth) {
  Launch launch{&record, number(record.launches) * growth.launches};
  const MemoryAccesses accesses = record.accesses.value_or(MemoryAccesses{});
  const Growth each = per_launch(growth);
  const double of_sectors = growth_of_sectors(accesses, least_bytes, each);
  const bool computes = accesses.wavefronts > 0 || accesses.tf32_flops + accesses.half_flops > 0;
  const double rest = computes ? each.flops : of_sectors;
  const auto of_one = [&](int64_t count) { return number(count) / number(record.launches); };
  LaunchWork& work = launch.work;
  work.bytes = number(accesses.bytes_read + accesses.bytes_written) * each.bytes;
  work.sectors = number(accesses.sectors()) * of_sectors;
  work.missed = number(accesses.sectors_missed + accesses.sectors_written + accesses.atomic_sectors) * of_sectors;
  work.requests =
      (number(accesses.requests_read + accesses.requests_written) + number(accesses.atomics) / kWarpThreads) * rest;
  work.shared_requests = number(accesses.shared_requests) * rest;
  work.wavefronts = number(accesses.wavefronts) * rest;
  work.shuffles = std::max(0.0, of_one(record.warp_operations - record.matrix_operations)) * rest;
  work.matrix_operations = of_one(record.matrix_operations) * rest;
  work.barriers = of_one(record.barriers) * rest;
  work.memory_waits = number(accesses.memory_waits) * rest;
  work.shared_waits = number(accesses.shared_waits) * rest;
  work.tf32_flops = number(accesses.tf32_flops) * each.flops;
  work.half_flops = number(accesses.half_flops) * each.flops;
  work.group_flops = number(accesses.group_flops) * each.flops;
  work.blocks = of_one(record.blocks) * each.results;
  work.threads = of_one(record.threads) * each.results;
  work.shared_bytes = number(record.shared_bytes);
  launch.atomics = number(accesses.atomics) * rest;
  return launch;
}

template <typename Weight>
double total(const std::vector<Launch>& launches, const Weight& weight) {
  return std::accumulate(launches.begin(), launches.end(), 0.0,
                         [&](double sum, const Launch& launch) { return sum + launch.times * weight(launch); });
}

// In the proportion of `weight`; equally where that is 0 for all.
template <typename Weight>
void share_out(std::vector<Launch>& launches, double amount, double LaunchWork::*field, const Weight& weight) {
  const double sum = total(launches, weight);
  const double count = total(launches, [](const Launch&) { return 1.0; });
  for (Launch& launch : launches) {
    launch.work.*field += sum > 0 ? amount * weight(launch) / sum : amount / count;
  }
}

void share_out_flops(std::vector<Launch>& launches, double flops) {
  const auto by_library = [](const Launch& launch) { return launch.library_flops(); };
  const auto by_tensor_cores = [](const Launch& launch) { return launch.tensor_flops(); };
  const auto by_traffic = [](const Launch& launch) { return launch.traffic(); };
  if (total(launches, by_library) > 0) {
    share_out(launches, flops, &LaunchWork::flops, by_library);
  } else if (total(launches, by_tensor_cores) > 0) {
    share_out(launches, flops, &LaunchWork::flops, by_tensor_cores);
  } else {
    share_out(launches, flops, &LaunchWork::flops, by_traffic);
  }
}

// Nothing that was right moved less than it must: what was not seen is a library's, or was hidden.
void hold_to_least(std::vector<Launch>& launches, double least_bytes) {
  const double missing = least_bytes - total(launches, [](const Launch& launch) { return launch.work.bytes; });
  if (missing > 0) {
    const auto unseen = [](const Launch& launch) { return launch.library_flops(); };
    const auto seen = [](const Launch& launch) { return launch.work.bytes; };
    if (total(launches, unseen) > 0) {
      share_out(launches, missing, &LaunchWork::bytes, unseen);
    } else {
      share_out(launches, missing, &LaunchWork::bytes, seen);
    }
  }
  for (Launch& launch : launches) {
    launch.work.sectors = std::max(launch.work.sectors, launch.work.bytes / kSectorBytes);
    launch.work.missed = std::max(launch.work.missed, launch.work.bytes / kSectorBytes);
  }
}

double peak_of(kernels::Pipe pipe, const kernels::DeviceLimits& limits) {
  switch (pipe) {
    case kernels::Pipe::kFp32:
      return limits.fp32_flops;
    case kernels::Pipe::kTf32:
      return limits.tf32_flops;
    case kernels::Pipe::kFp16:
      return limits.fp16_flops;
  }
  return limits.fp32_flops;
}

// A library's kernels are not seen: the least bytes, and the arithmetic on the pipe that the plan has for them.
LaunchTime time_of_library(const Launch& launch, kernels::Pipe pipe, const kernels::DeviceLimits& limits) {
  constexpr double kMicroseconds = 1e6;
  const double memory = launch.work.bytes / limits.bytes_per_second;
  const double arithmetic = launch.work.flops / peak_of(pipe, limits);
  const double us = std::max(memory, arithmetic) * kMicroseconds;
  const ExecutedBound longest = memory > arithmetic ? ExecutedBound::kMemory : ExecutedBound::kArithmetic;
  return {limits.launch_us + us, us > limits.launch_us ? longest : ExecutedBound::kLaunches};
}

LaunchTime time_of(const Launch& launch, kernels::Pipe library_pipe, const kernels::DeviceLimits& limits) {
  if (launch.record->library_flops > 0) {
    return time_of_library(launch, library_pipe, limits);
  }
  LaunchWork work = launch.work;
  work.flops = std::max(0.0, work.flops - launch.tensor_flops());  // what tensor cores did not do, the others did
  if (launch.record->is_library()) {
    work.blocks = 0;  // a copy, or a fill
  }
  return time_of_launch(work, limits);
}

void add_counted(MemoryAccesses& sum, const LaunchRecord& record) {
  const MemoryAccesses accesses = record.accesses.value_or(MemoryAccesses{});
  for (const auto field :
       {&MemoryAccesses::bytes_read, &MemoryAccesses::bytes_written, &MemoryAccesses::requests_read,
        &MemoryAccesses::requests_written, &MemoryAccesses::sectors_read, &MemoryAccesses::sectors_written,
        &MemoryAccesses::atomics, &MemoryAccesses::atomic_sectors, &MemoryAccesses::shared_requests,
        &MemoryAccesses::wavefronts, &MemoryAccesses::shared_atomics, &MemoryAccesses::tf32_flops,
        &MemoryAccesses::half_flops, &MemoryAccesses::group_flops, &MemoryAccesses::sectors_missed,
        &MemoryAccesses::memory_waits, &MemoryAccesses::shared_waits}) {
    sum.*field += record.launches * (accesses.*field);
  }
}

void add_counts(ExecutedCounts& sum, const Launch& launch) {
  sum.launches += launch.times;
  sum.bytes += launch.times * launch.work.bytes;
  sum.sectors += launch.times * launch.work.sectors;
  sum.missed += launch.times * launch.work.missed;
  sum.wavefronts += launch.times * launch.work.wavefronts;
  sum.atomics += launch.times * launch.atomics;
  sum.flops += launch.times * launch.work.flops;
  sum.tensor_flops += launch.times * launch.tensor_flops();
}

std::vector<Launch> carried_launches(const std::vector<const LaunchRecord*>& records, const LeastWork& ran,
                                     const LeastWork& declared) {
  const Growth growth = growth_of(ran, declared);
  double bytes = 0;
  for (const LaunchRecord* record : records) {
    const MemoryAccesses accesses = record->accesses.value_or(MemoryAccesses{});
    bytes += number(record->launches) * number(accesses.bytes_read + accesses.bytes_written);
  }
  std::vector<Launch> launches;
  for (const LaunchRecord* record : records) {
    const MemoryAccesses accesses = record->accesses.value_or(MemoryAccesses{});
    const double share = bytes > 0 ? number(accesses.bytes_read + accesses.bytes_written) / bytes : 0;
    launches.push_back(carried(*record, share * ran.bytes, growth));
  }
  return launches;
}

StepExecution execution_of_step(int step, const std::vector<const LaunchRecord*>& records, const LeastWork& ran,
                                const LeastWork& declared, const kernels::DeviceLimits& limits) {
  std::vector<Launch> launches = carried_launches(records, ran, declared);
  hold_to_least(launches, declared.bytes);
  share_out_flops(launches, declared.flops);
  StepExecution execution;
  execution.step = step;
  std::map<ExecutedBound, double> times;
  for (const Launch& launch : launches) {
    const LaunchTime time = time_of(launch, declared.pipe, limits);
    execution.executed_us += launch.times * time.us;
    times[time.bound] += launch.times * time.us;
    execution.launches += launch.record->launches;
    execution.kernels.push_back(*launch.record);
    add_counted(execution.counted, *launch.record);
    add_counts(execution.counts, launch);
  }
  execution.bound = std::max_element(times.begin(), times.end(), [](const auto& left, const auto& right) {
                      return left.second < right.second;
                    })->first;
  return execution;
}

LeastWork work_of_step(const Plan& plan, size_t index) {
  const Step& step = plan.steps[index];
  if (step.phase == Phase::kPrepare) {
    return {};
  }
  LeastWork work{step.flops, step.bytes_min};
  for (const int result : step.results) {
    const Buffer& buffer = plan.buffers[static_cast<size_t>(result)];
    work.result_bytes += number(plan.graph.type(buffer.value).bytes());
  }
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  if (kernel != nullptr) {
    const kernels::Work counted = kernel->work(step_group(plan, index), step.setting);
    work.launches = counted.launches;
    work.pipe = counted.pipe;
  }
  return work;
}

double input_bytes(const Plan& plan) {
  double bytes = 0;
  for (const ir::GraphInput& input : plan.graph.inputs) {
    bytes += number(plan.graph.type(input.value).bytes());
  }
  return bytes;
}

double output_bytes(const Plan& plan) {
  double bytes = 0;
  for (const ir::GraphOutput& output : plan.graph.outputs) {
    bytes += number(plan.graph.type(output.value).bytes());
  }
  return bytes;
}

}  // namespace

ProgramWork work_of(const Plan& plan) {
  ProgramWork work;
  for (size_t index = 0; index < plan.steps.size(); ++index) {
    work.steps.push_back(work_of_step(plan, index));
    work.whole.flops += work.steps.back().flops;
    work.whole.pipe = std::max(work.whole.pipe, work.steps.back().pipe);
  }
  work.whole.result_bytes = output_bytes(plan);
  work.whole.bytes = input_bytes(plan) + work.whole.result_bytes;
  return work;
}

Execution execution_of(const std::vector<LaunchRecord>& launches, const ProgramWork& ran, const ProgramWork& declared,
                       const kernels::DeviceLimits& limits) {
  std::map<int, std::vector<const LaunchRecord*>> of_steps;
  for (const LaunchRecord& record : launches) {
    if (is_work(record)) {
      const bool is_known = record.step >= 0 && record.step < static_cast<int64_t>(declared.steps.size()) &&
                            declared.steps.size() == ran.steps.size();
      of_steps[is_known ? static_cast<int>(record.step) : -1].push_back(&record);
    }
  }
  const bool has_steps = !of_steps.empty() && of_steps.rbegin()->first >= 0;
  Execution execution;
  for (const auto& [step, records] : of_steps) {
    LeastWork least = has_steps ? LeastWork{} : declared.whole;
    LeastWork least_ran = has_steps ? LeastWork{} : ran.whole;
    if (step >= 0) {
      least = declared.steps[static_cast<size_t>(step)];
      least_ran = ran.steps[static_cast<size_t>(step)];
    }
    StepExecution found = execution_of_step(step, records, least_ran, least, limits);
    execution.executed_us += found.executed_us;
    execution.steps.push_back(std::move(found));
  }
  return execution;
}

}  // namespace stitch::plan
