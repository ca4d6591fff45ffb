// SPDX-License-Identifier: Apache-2.0
#include "farm/metrics/worker_metrics.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <utility>

namespace stitch::farm {
namespace {

std::string escaped(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') {
      made += '\\';
    }
    made += letter == '\n' ? ' ' : letter;
  }
  return made;
}

void add_head(std::string& text, const char* name, const char* kind, const char* help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

void add_store(std::string& text, const store::Counts& counts) {
  add_head(text, "stitchcuda_store_jobs", "gauge", "Jobs in the store now.");
  for (const auto& [job_class, of] : counts.of_class) {
    const char* name = store::to_string(job_class);
    text += fmt::format("stitchcuda_store_jobs{{class=\"{}\",state=\"waiting\"}} {}\n", name, of.waiting);
    text += fmt::format("stitchcuda_store_jobs{{class=\"{}\",state=\"leased\"}} {}\n", name, of.leased);
  }
  add_head(text, "stitchcuda_store_jobs_total", "counter", "Jobs since the store was made.");
  for (const auto& [job_class, of] : counts.of_class) {
    const char* name = store::to_string(job_class);
    for (const auto& [what, number] : {std::pair<const char*, int64_t>{"submitted", of.submitted},
                                       {"done", of.done},
                                       {"parked", of.parked},
                                       {"taken_over", of.taken_over}}) {
      text += fmt::format("stitchcuda_store_jobs_total{{class=\"{}\",event=\"{}\"}} {}\n", name, what, number);
    }
  }
}

}  // namespace

std::string prometheus_text(const WorkerMetrics& metrics, const MetricLabels& labels, const store::Counts* counts) {
  const std::string own = fmt::format("worker=\"{}\",class=\"{}\",device=\"{}\"", escaped(labels.worker),
                                      escaped(labels.job_class), escaped(labels.device));
  std::string text;
  add_head(text, "stitchcuda_worker_jobs_total", "counter", "Jobs that this worker took, by what became of them.");
  for (const auto& [what, number] : {std::pair<const char*, int64_t>{"done", metrics.done},
                                     {"refused", metrics.refused},
                                     {"given_back", metrics.given_back},
                                     {"cancelled", metrics.cancelled}}) {
    text += fmt::format("stitchcuda_worker_jobs_total{{{},outcome=\"{}\"}} {}\n", own, what, number);
  }
  add_head(text, "stitchcuda_worker_busy_seconds_total", "counter", "Time spent on jobs.");
  constexpr double kMilliseconds = 1000;
  text += fmt::format("stitchcuda_worker_busy_seconds_total{{{}}} {:.3f}\n", own,
                      static_cast<double>(metrics.busy_ms) / kMilliseconds);
  for (const auto& [name, help, is_so] :
       {std::tuple<const char*, const char*, bool>{"stitchcuda_worker_busy", "A job is under way.", metrics.is_busy},
        {"stitchcuda_worker_draining", "It takes no further job.", metrics.is_draining},
        {"stitchcuda_worker_gpu_quarantined", "The canary failed twice.", metrics.is_quarantined},
        {"stitchcuda_store_up", "The store answers.", counts != nullptr}}) {
    add_head(text, name, "gauge", help);
    text += fmt::format("{}{{{}}} {}\n", name, own, is_so ? 1 : 0);
  }
  if (counts != nullptr) {
    add_store(text, *counts);
  }
  return text;
}

}  // namespace stitch::farm
