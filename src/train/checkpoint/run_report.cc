// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/run_report.h"

#include <cstdio>

#include "report/folder/read_texts.h"
#include "report/training/training_page.h"

namespace stitch::train {
namespace {

constexpr auto kBetweenPages = std::chrono::seconds(30);

}  // namespace

std::optional<std::filesystem::path> leave_report(const std::filesystem::path& run) {
  std::error_code ignored;
  if (!std::filesystem::exists(run / "metrics.jsonl", ignored)) {
    return std::nullopt;  // it ended before its first step
  }
  const std::filesystem::path page = run / "report.html";
  const auto written = report::write_training_page(run, report::report_folder_beside_this_program(), page);
  if (!written.has_value()) {
    std::fprintf(stderr, "stitchcuda-train: %s was not written: %s (%s)\n", page.c_str(),
                 written.error().message.c_str(), written.error().location.c_str());
    return std::nullopt;
  }
  return page;
}

void ReportPace::maybe_leave(const std::filesystem::path& run) {
  const auto now = std::chrono::steady_clock::now();
  if (report::report_folder_beside_this_program().empty()) {
    return;  // told when the run ends
  }
  if (!last_.has_value() || now - *last_ >= kBetweenPages) {
    last_ = now;
    leave_report(run);
  }
}

}  // namespace stitch::train
