// SPDX-License-Identifier: Apache-2.0
#include "service/run/counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::service {
namespace {

constexpr size_t kJudgedWindow = 200;
constexpr double kMaxFallbackShare = 0.05;

void add_metric(std::string& text, const char* name, const char* kind, const char* help, double value) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, kind, value);
}

void add_store_metrics(std::string& text, const store::Counts& counts) {
  text += "# HELP stitchcuda_store_jobs Jobs in the store now.\n# TYPE stitchcuda_store_jobs gauge\n";
  for (const auto& [job_class, of] : counts.of_class) {
    const char* name = store::to_string(job_class);
    text += fmt::format(
        "stitchcuda_store_jobs{{class=\"{0}\",state=\"waiting\"}} {1}\n"
        "stitchcuda_store_jobs{{class=\"{0}\",state=\"leased\"}} {2}\n",
        name, of.waiting, of.leased);
  }
}

}  // namespace

void Counters::add_answer(int status) {
  const std::lock_guard lock(mutex_);
  ++answers_[status];
}

void Counters::add_outcome(const std::string& outcome, double seconds, bool is_from_cache) {
  const std::lock_guard lock(mutex_);
  ++outcomes_[outcome];
  seconds_ += seconds;
  from_cache_ += is_from_cache ? 1 : 0;
}

void Counters::add_cancelled() {
  const std::lock_guard lock(mutex_);
  ++cancelled_;
}

void Counters::add_judged(bool is_fallback) {
  const std::lock_guard lock(mutex_);
  ++judge_asked_;
  judge_fallbacks_ += is_fallback ? 1 : 0;
  judged_.push_back(is_fallback);
  if (judged_.size() > kJudgedWindow) {
    judged_.pop_front();
  }
}

double Counters::fallback_share() const {
  const auto fallbacks = static_cast<double>(std::count(judged_.begin(), judged_.end(), true));
  return judged_.empty() ? 0 : fallbacks / static_cast<double>(judged_.size());
}

bool Counters::is_judge_failing() const {
  const std::lock_guard lock(mutex_);
  return fallback_share() > kMaxFallbackShare;
}

std::string Counters::prometheus_text(const Now& now, const store::Counts* counts) const {
  const std::lock_guard lock(mutex_);
  std::string text =
      "# HELP stitchcuda_serve_answers_total Answers by their status.\n# TYPE stitchcuda_serve_answers_total counter\n";
  for (const auto& [status, number] : answers_) {
    text += fmt::format("stitchcuda_serve_answers_total{{status=\"{}\"}} {}\n", status, number);
  }
  text +=
      "# HELP stitchcuda_serve_evaluations_total Evaluations that ended, by outcome.\n"
      "# TYPE stitchcuda_serve_evaluations_total counter\n";
  for (const auto& [outcome, number] : outcomes_) {
    text += fmt::format("stitchcuda_serve_evaluations_total{{outcome=\"{}\"}} {}\n", outcome, number);
  }
  const auto number = [](auto value) { return static_cast<double>(value); };
  add_metric(text, "stitchcuda_serve_cancelled_total", "counter", "Evaluations that were cancelled.",
             number(cancelled_));
  add_metric(text, "stitchcuda_serve_from_cache_total", "counter", "Evaluations whose work was known.",
             number(from_cache_));
  add_metric(text, "stitchcuda_serve_seconds_total", "counter", "From request to end, over all that ended.", seconds_);
  add_metric(text, "stitchcuda_serve_open", "gauge", "Evaluations that have not ended.", number(now.open));
  add_metric(text, "stitchcuda_serve_open_max", "gauge", "How many may be open; more are refused with 429.",
             number(now.max_open));
  add_metric(text, "stitchcuda_serve_draining", "gauge", "No further evaluation is taken.", now.is_draining ? 1 : 0);
  add_metric(text, "stitchcuda_store_up", "gauge", "The store answers.", now.is_store_up ? 1 : 0);
  add_metric(text, "stitchcuda_serve_judge_asked_total", "counter", "Candidates that the judge was asked about.",
             number(judge_asked_));
  add_metric(text, "stitchcuda_serve_judge_fallbacks_total", "counter", "Of these, without a usable answer.",
             number(judge_fallbacks_));
  add_metric(text, "stitchcuda_serve_judge_alarm", "gauge", "Over one in twenty of the last 200 fell back.",
             fallback_share() > kMaxFallbackShare ? 1 : 0);
  if (counts != nullptr) {
    add_store_metrics(text, *counts);
  }
  return text;
}

}  // namespace stitch::service
