// SPDX-License-Identifier: Apache-2.0
#include "driver/time/time_on_gpu.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/process/tree.h"
#include "driver/build/gpu_room.h"
#include "driver/build/library_folders.h"
#include "driver/time/baseline.h"
#include "driver/time/timed_draws.h"
#include "driver/time/timing_lock.h"
#include "evaluate/timing/clocks.h"
#include "evaluate/timing/floor.h"
#include "evaluate/timing/sharing.h"
#include "evaluate/verify/subject_run.h"
#include "toolchain/discovery/visible_gpu.h"
#include "tuning/floor/compulsory_work.h"

namespace stitch::driver {
namespace {

std::string ask_clocks() { return toolchain::ask_gpu(std::string("--query-gpu=") + evaluate::kClockQuery); }

// Others of ours that wait for their turn do not count.
std::string sharing_here(const std::optional<evaluate::GpuShare>& whole) {
  std::vector<pid_t> own = list_descendants(::getpid());
  const Result<std::vector<int64_t>> queued =
      whole.has_value() ? whole->processes() : Result<std::vector<int64_t>>(std::vector<int64_t>{});
  if (queued.has_value()) {
    for (const int64_t process : *queued) {
      const std::vector<pid_t> waiting = list_descendants(static_cast<pid_t>(process));
      own.insert(own.end(), waiting.begin(), waiting.end());
    }
  }
  const std::string mode =
      toolchain::gpu_is_slice() ? "Enabled" : toolchain::ask_gpu(std::string("--query-gpu=") + evaluate::kSharingQuery);
  return evaluate::sharing_refusal(
      mode, toolchain::ask_gpu(std::string("--query-compute-apps=") + evaluate::kProcessQuery), own);
}

// Not every machine lets its clocks be read: then that is what is recorded.
void record_clocks(const std::string& before, const std::string& after, MeasuredProgram& measured) {
  const Result<evaluate::Clocks> first = evaluate::parse_clocks(before);
  const Result<evaluate::Clocks> last = evaluate::parse_clocks(after);
  if (!first.has_value() || !last.has_value()) {
    measured.clocks = "the GPU's clocks could not be read";
    return;
  }
  measured.clocks = fmt::format("SM clock {:.0f} MHz before and {:.0f} MHz after, of {:.0f}; {:.0f} C, {:.0f} W",
                                first->sm_mhz, last->sm_mhz, last->max_sm_mhz, last->temperature_c, last->power_w);
  measured.times.clocks = evaluate::clock_refusal(*first, *last);
}

Result<void> judge_times(const TimedProgram& program, MeasuredProgram& measured) {
  measured.finding = evaluate::finding_of(measured.times.ending, measured.times.fault, "timing", Stage::kTiming);
  if (measured.finding.has_value()) {
    return {};
  }
  const std::optional<evaluate::Datasheet> device = evaluate::datasheet_of(measured.times.device);
  if (!device.has_value()) {
    return {};
  }
  evaluate::CompulsoryWork work = tuning::compulsory_work(program.graph);
  work.l2_bytes = measured.times.l2_bytes;
  const evaluate::Floor floor = evaluate::physical_floor(work, *device, program.math);
  measured.floor_us = floor.us();
  measured.finding = evaluate::below_floor(measured.times.best_us(), floor, *device);
  return {};
}

}  // namespace

Result<MeasuredProgram> time_on_gpu(Job& job, const toolchain::Toolchain& tools, const TimedProgram& program) {
  evaluate::RunnerOptions options;
  options.binary = program.binary.value_or(evaluate::CandidateBinary{DeviceKind::kCuda, program.library});
  options.library_folders = library_folders(job);
  options.cage = tools.confinement.mode;
  const evaluate::TimedSubject subject =
      timed_draws(job, program.verified, program.math).value_or(tuning::sample_subject(program.graph));
  std::optional<tuning::Baseline> baseline = program.baseline;
  if (baseline.has_value() && program.verified.kept.draws.empty()) {
    baseline->why_none = "nothing was drawn that both could be timed on";
  }
  STITCH_ASSIGN(const std::optional<evaluate::GpuShare> whole, take_whole_gpu(job, tools, memory_of_gpu()));
  TimingLock lock(tools.cache);
  MeasuredProgram measured;
  STITCH_TRY(lock.alone([&]() -> Result<void> {
    const std::string shared = sharing_here(whole);
    const std::string before = ask_clocks();
    STITCH_ASSIGN(measured.times, tuning::time_program(subject, options, {}, baseline));
    measured.times.shared = shared;
    record_clocks(before, ask_clocks(), measured);
    return {};
  }));
  STITCH_TRY(judge_times(program, measured));
  return measured;
}

namespace {

std::string with_interval(const evaluate::Timing& timing) {
  return fmt::format("{:.1f} us ({:.1f} to {:.1f})", timing.median_us, timing.interval.low, timing.interval.high);
}

std::string describe_times(const MeasuredProgram& measured) {
  const tuning::ProgramTimes& times = measured.times;
  const std::string prepare = fmt::format("prepare {:.1f} us", times.prepare_us);
  const std::string refusal = times.refusal();
  if (!refusal.empty()) {
    return fmt::format("no time: {} ({} tries)", refusal, times.plain.tries);
  }
  const std::string floor = measured.floor_us > 0 ? fmt::format(", floor {:.1f} us", measured.floor_us) : std::string();
  const std::string plain = with_interval(times.plain);
  if (times.graph.samples_us.empty()) {
    return fmt::format("measured {} by plain launches (no CUDA graph), {}{}", plain, prepare, floor);
  }
  const std::string graph = with_interval(times.graph);
  return times.graph_is_faster()
             ? fmt::format("measured {} by CUDA graph, {} by plain launches, {}{}", graph, plain, prepare, floor)
             : fmt::format("measured {} by plain launches, {} by CUDA graph, {}{}", plain, graph, prepare, floor);
}

}  // namespace

std::string describe(const MeasuredProgram& measured) {
  const std::optional<tuning::BaselineTimes>& baseline = measured.times.baseline;
  const bool has_both = baseline.has_value() && measured.times.refusal().empty();
  return describe_times(measured) + (has_both ? "\n" + describe(*baseline) : "");
}

Json to_json(const MeasuredProgram& measured) {
  const auto one = [](const evaluate::Timing& timing) {
    return Json{{"us", timing.median_us},
                {"low_us", timing.interval.low},
                {"high_us", timing.interval.high},
                {"spread", timing.spread},
                {"samples_us", timing.samples_us},
                {"refusal", timing.refusal},
                {"tries", timing.tries},
                {"calls_per_block", timing.calls_per_block},
                {"sets", timing.sets},
                {"evicted_bytes", timing.evicted_bytes},
                {"calls_judged", timing.calls_judged},
                {"contents", timing.is_mixed ? "mixed" : "drawn"},
                {"calls_compared", timing.calls_compared},
                {"by_events", timing.by_events}};
  };
  const tuning::ProgramTimes& times = measured.times;
  const bool is_told = times.refusal().empty();
  Json json = {{"plain_us", is_told ? Json(times.plain.median_us) : Json()},
               {"plain_spread", times.plain.spread},
               {"graph_us", is_told && !times.graph.samples_us.empty() ? Json(times.graph.median_us) : Json()},
               {"graph_spread", times.graph.spread},
               {"faster", times.graph_is_faster() ? "graph" : "plain"},
               {"prepare_us", times.prepare_us},
               {"floor_us", measured.floor_us > 0 ? Json(measured.floor_us) : Json()},
               {"without_graph", times.without_graph},
               {"refusal", times.refusal()},
               {"device", times.device},
               {"clocks", measured.clocks}};
  json["baseline"] = times.baseline.has_value() ? to_json(*times.baseline, is_told) : Json();
  json["plain"] = one(times.plain);
  json["graph"] = times.graph.samples_us.empty() ? Json() : one(times.graph);
  return json;
}

}  // namespace stitch::driver
