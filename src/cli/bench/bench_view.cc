// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_view.h"

#include <fmt/format.h>

#include <memory>

#include "bench/figures/by_task.h"

namespace stitch::cli {
namespace {

std::string time_text(const bench::TaskResult& result) {
  for (const auto& [baseline, ratio] : result.over) {
    if (ratio.ratio.has_value()) {
      return fmt::format(", {:.2f} times as fast as {} ({:.2f} to {:.2f})", *ratio.ratio, baseline, ratio.low,
                         ratio.high);
    }
  }
  if (result.measured_us.has_value()) {
    return fmt::format(", {:.1f} us measured", *result.measured_us);
  }
  return result.modelled_us.has_value() ? fmt::format(", {:.1f} us modelled", *result.modelled_us) : "";
}

std::string label_of(const std::string& task, int sample) {
  return sample == 0 ? task : fmt::format("{} #{}", task, sample);
}

}  // namespace

std::string row_text(const bench::TaskResult& result, size_t done, size_t of) {
  std::string text = bench::outcome_word(result);
  text += result.standing == bench::Standing::kSound ? "" : fmt::format(" [{}]", to_string(result.standing));
  text += result.hack_class == HackClass::kClean ? "" : fmt::format(", {}", to_string(result.hack_class));
  text += result.is_right() ? time_text(result) : ": " + result.sentence;
  return fmt::format("{} ({:.1f} s)  [{}/{}]", text, result.spent.seconds, done, of);
}

bench::BenchEvents bench_events(Reporter& reporter) {
  bench::BenchEvents events;
  events.begun = [&reporter](const bench::RunSpec& spec, const std::filesystem::path& folder, size_t known) {
    const size_t of = spec.tasks.size() * static_cast<size_t>(spec.samples);
    const std::string rest = known > 0 ? fmt::format(", {} of {} known from before", known, of) : "";
    reporter.fact("bench", fmt::format("{}: {} tasks of {}{}  ->  {}", spec.id, spec.tasks.size(), spec.suite, rest,
                                       folder.string()));
  };
  events.task_begun = [&reporter](const bench::SuiteTask& task, int sample) {
    auto wait = std::make_shared<driver::Progress::Wait>(reporter.wait(label_of(task.id, sample), "waits"));
    return [wait](const std::string& verb) { wait->hint(verb); };
  };
  events.task_ended = [&reporter](const bench::TaskResult& result, size_t done, size_t of) {
    reporter.fact(label_of(result.task, result.sample), row_text(result, done, of));
  };
  return events;
}

}  // namespace stitch::cli
