// SPDX-License-Identifier: Apache-2.0
#include "harvest/copies.h"

#include <algorithm>

#include "synth/contamination/programs.h"
#include "synth/make/lanes.h"

namespace stitch::harvest {
namespace {

std::vector<synth::ProgramFile> files_of(const std::vector<bench::SuiteTask>& tasks) {
  std::vector<synth::ProgramFile> files;
  for (const bench::SuiteTask& task : tasks) {
    const std::filesystem::path path = std::filesystem::absolute(task.file).lexically_normal();
    const bool is_known = std::any_of(files.begin(), files.end(), [&](const auto& each) { return each.path == path; });
    if (!is_known) {
      files.push_back({path, ""});
    }
  }
  return files;
}

}  // namespace

Result<Copies> copies_among(const std::vector<bench::SuiteTask>& tasks, const CopiesRequest& request,
                            const driver::Services& services) {
  std::vector<synth::ProgramFile> measured;
  for (const std::filesystem::path& place : request.against) {
    STITCH_ASSIGN(const std::vector<synth::ProgramFile> there, synth::programs_in(place));
    measured.insert(measured.end(), there.begin(), there.end());
  }
  const std::vector<synth::ProgramFile> files = files_of(tasks);
  synth::Lanes lanes(request.jobs, request.options, services);
  driver::Progress::Wait wait = services.progress.wait("harvest", "tasks are held against programs to measure by");
  STITCH_ASSIGN(const auto against, synth::facts_of(measured, request.with_graphs, lanes, wait));
  STITCH_ASSIGN(const auto asked, synth::facts_of(files, request.with_graphs, lanes, wait));
  Copies copies{.against = against.size()};
  for (synth::Accusation& each : synth::accuse(asked, against, request.max_likeness)) {
    const std::filesystem::path file = std::filesystem::absolute(each.task).lexically_normal();
    copies.found.emplace(file, std::move(each));
  }
  return copies;
}

}  // namespace stitch::harvest
