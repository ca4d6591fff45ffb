// SPDX-License-Identifier: Apache-2.0
// The plans that differ from one plan in the setting of one step: executed_variants PLAN.json FOLDER
// Writes FOLDER/NUMBER.json, and for each a line of JSON: its file, step, skeleton and setting.
#include <fmt/format.h>

#include <filesystem>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "plan/plan.h"

namespace {

using stitch::plan::Plan;

stitch::Result<void> write_variants(const std::filesystem::path& file, const std::filesystem::path& folder) {
  STITCH_ASSIGN(const std::string text, stitch::read_file(file));
  STITCH_ASSIGN(const stitch::Json json, stitch::parse_json(text, file.string()));
  STITCH_ASSIGN(const Plan plan, stitch::plan::from_json(json));
  int number = 0;
  for (size_t index = 0; index < plan.steps.size(); ++index) {
    const stitch::plan::Step& step = plan.steps[index];
    if (step.phase != stitch::plan::Phase::kRun) {
      continue;
    }
    std::vector<stitch::plan::Setting> settings = {step.setting};
    for (const stitch::plan::Alternative& alternative : step.alternatives) {
      settings.push_back(alternative.setting);
    }
    for (const stitch::plan::Setting& setting : settings) {
      STITCH_ASSIGN(const Plan other, stitch::plan::with_setting(plan, index, setting));
      const std::string name = fmt::format("{}.json", number++);
      STITCH_TRY(stitch::write_file(folder / name, stitch::plan::to_json(other).dump(1) + "\n"));
      fmt::print("{}\n", stitch::Json{{"file", name},
                                      {"step", index},
                                      {"skeleton", step.skeleton},
                                      {"setting", setting.variant},
                                      {"splits", setting.splits}}
                             .dump());
    }
  }
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "executed_variants PLAN.json FOLDER\n");
    return 2;
  }
  const stitch::Result<void> written = write_variants(words[1], words[2]);
  if (!written.has_value()) {
    fmt::print(stderr, "{}\n", written.error().message);
    return 3;
  }
  return 0;
}
