// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/export_times.h"

#include <cmath>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "ir/text/parser.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"
#include "plan/cost/fitted.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/shipped/merge_times.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

// What databases hold, and what stands in texts: these have no graphs.
struct Known {
  std::vector<tuning::KnownTime> times;
  std::vector<tuning::KnownStep> told;
};

Result<bool> is_text(const fs::path& file) {
  constexpr size_t kBeginning = 64;
  STITCH_ASSIGN(const std::string text, read_file(file));
  return tuning::is_times_text(std::string_view(text).substr(0, kBeginning));
}

Result<Known> read_all(const std::vector<fs::path>& files) {
  Known known;
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      return failure(ErrorCode::kFileInvalid, "there is no such tuning database", file.string(),
                     "name one that `stitchcuda tune` or `optimize` has left, or a text that `tune export` made");
    }
    STITCH_ASSIGN(const bool is_told, is_text(file));
    if (is_told) {
      STITCH_ASSIGN(const std::string text, read_file(file));
      STITCH_ASSIGN(const std::vector<tuning::KnownStep> more, tuning::parse_times(text, file.string()));
      known.told.insert(known.told.end(), more.begin(), more.end());
      continue;
    }
    STITCH_ASSIGN(const tuning::TuningDatabase database, tuning::TuningDatabase::open(file));
    STITCH_ASSIGN(const std::vector<tuning::KnownTime> more, database.all());
    known.times.insert(known.times.end(), more.begin(), more.end());
  }
  return known;
}

const kernels::DeviceLimits* limits_of(const std::string& device) {
  for (const kernels::DeviceLimits& limits : kernels::known_devices()) {
    if (tuning::is_of_kind(device, limits.name)) {
      return &limits;
    }
  }
  return nullptr;
}

// Nothing where it cannot be estimated today.
std::optional<Json> line_of(const tuning::KnownTime& time) {
  const kernels::DeviceLimits* limits = limits_of(time.context.device);
  if (!time.record.has_value() || limits == nullptr || !std::isfinite(time.measurement.median_us)) {
    return std::nullopt;
  }
  const kernels::KernelTemplate* kernel = kernels::find_template(time.record->skeleton);
  const Result<ir::Graph> graph = ir::parse(time.record->graph, "the tuning database");
  if (kernel == nullptr || !graph.has_value() || static_cast<size_t>(time.record->root) >= graph->nodes.size()) {
    return std::nullopt;
  }
  const kernels::Group group = tuning::group_of(*time.record, *graph);
  if (!kernel->fits(group).ok || !kernel->allows(group, time.setting)) {
    return std::nullopt;
  }
  const kernels::Work work = kernel->work(group, time.setting);
  const double launches_us = work.launches * limits->launch_us;
  return Json{{"device", limits->name},
              {"math", time.context.math},
              {"skeleton", time.record->skeleton},
              {"variant", time.setting.variant},
              {"splits", time.setting.splits},
              {"kind", std::string(plan::kind_of_variant(time.setting.variant))},
              {"signature", time.signature.substr(0, tuning::kSignatureDigits)},
              {"extents", time.record->extents},
              {"flops", work.flops},
              {"bytes", work.bytes},
              {"launches_us", launches_us},
              {"work_us", plan::estimated_us(work, *limits) - launches_us},
              {"estimated_us", plan::estimated_us(*kernel, time.setting, work, *limits)},
              {"measured_us", time.measurement.median_us},
              {"spread", time.measurement.spread}};
}

std::string with_estimates(const std::vector<tuning::KnownTime>& times, ExportTimesReport& report) {
  std::string text;
  for (const tuning::KnownTime& time : times) {
    const std::optional<Json> line = line_of(time);
    report.without_estimate += line.has_value() ? 0 : 1;
    report.settings += line.has_value() ? 1 : 0;
    text += line.has_value() ? line->dump() + "\n" : "";
  }
  return text;
}

}  // namespace

Result<ExportTimesReport> export_times(const ExportTimesRequest& request, const Services&) {
  std::vector<fs::path> files = request.databases;
  if (files.empty()) {
    STITCH_ASSIGN(const fs::path cache, toolchain::find_cache());
    files = {cache / "tuning.sqlite"};
  }
  STITCH_ASSIGN(const Known known, read_all(files));
  ExportTimesReport report;
  std::vector<tuning::KnownStep> all = known.told;
  const std::vector<tuning::KnownStep> own = tuning::steps_of(known.times);
  all.insert(all.end(), own.begin(), own.end());
  const std::vector<tuning::KnownStep> steps = tuning::merge_steps(all);
  report.steps = static_cast<int>(steps.size());
  if (request.out.extension() == ".jsonl") {
    report.text = with_estimates(known.times, report);
    for (const tuning::KnownStep& step : known.told) {
      report.without_estimate += static_cast<int>(step.settings.size());
    }
  } else {
    for (const tuning::KnownStep& step : steps) {
      report.settings += static_cast<int>(step.settings.size());
    }
    report.text = tuning::to_text(steps);
  }
  if (!request.out.empty()) {
    STITCH_TRY(write_file(request.out, report.text));
  }
  return report;
}

}  // namespace stitch::driver
