// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/subjects.h"

#include <fmt/format.h>

namespace stitch::cli {
namespace {

constexpr int kHiddenShapes = 3;
// What the emulated device gets through in a second on one core, and what one verdict asks of it: a draw in each of
// twenty, hidden shapes, and a checked draw that counts ten times.
constexpr double kEmulatedFlopsPerSecond = 2.5e8;
constexpr double kRunsPerVerdict = 40;
constexpr double kAffordableSeconds = 60;

bool wants_small(const CommandLine& line, const ImportedProgram& imported, DeviceKind device) {
  if (line.scale != ScaleChoice::kAuto) {
    return line.scale == ScaleChoice::kSmall;
  }
  return device != DeviceKind::kCuda && imported.flops * kRunsPerVerdict / kEmulatedFlopsPerSecond > kAffordableSeconds;
}

// The generated program for other sizes, with the step and runtime files of the program that is judged. A step whose
// text follows from the sizes (a tile for the head's width) is generated anew: then the generator is what is judged,
// and a person's edit of that step cannot be.
Result<SourceBundle> with_sources(SourceBundle generated, const SourceBundle& emitted, const SourceBundle& sources) {
  for (const auto& [path, text] : sources.files) {
    if (path.starts_with("runtime/")) {
      generated.files[path] = text;
    }
  }
  for (auto& [path, text] : generated.files) {
    const auto own = sources.files.find(path);
    const auto before = emitted.files.find(path);
    if (!path.starts_with("steps/") || own == sources.files.end() || before == emitted.files.end()) {
      continue;
    }
    if (text == before->second) {
      text = own->second;
    } else if (own->second != before->second) {
      return failure(ErrorCode::kUsage,
                     fmt::format("{} was edited, and its text depends on the sizes: it cannot be run at others", path),
                     path, "verify it with --scale full");
    }
  }
  return generated;
}

Result<Subject> subject_at(Session& session, const Task& task, const EmittedProgram& program,
                           const SourceBundle& sources, const Sizes& sizes, const std::string& kind) {
  Subject subject;
  subject.shape = fmt::format("{} {}", kind, describe(sizes));
  subject.task = task;
  subject.task.sizes = sizes;
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, subject.task));
  STITCH_ASSIGN(EmittedProgram emitted, plan_and_emit(session, imported.graph, task.math, &program.plan));
  subject.plan = std::move(emitted.plan);
  STITCH_ASSIGN(subject.bundle, with_sources(std::move(emitted.bundle), program.bundle, sources));
  return subject;
}

}  // namespace

Result<SubjectSet> make_subjects(Session& session, const Task& task, const ImportedProgram& imported,
                                 const EmittedProgram& program, const SourceBundle& sources, DeviceKind device) {
  SubjectSet set;
  Sizes base;
  if (wants_small(session.line(), imported, device)) {
    STITCH_ASSIGN(base, small_sizes(session, task, kSmallFlops));
  }
  set.scale = base.are_own() ? "full" : "small";
  if (base.are_own()) {
    set.subjects.push_back({"declared shapes", task, program.plan, sources});
  } else {
    STITCH_ASSIGN(Subject reduced, subject_at(session, task, program, sources, base, "reduced sizes"));
    set.subjects.push_back(std::move(reduced));
  }
  Task based = task;
  based.sizes = base;
  STITCH_ASSIGN(const std::vector<Sizes> hidden, hidden_sizes(session, based, kHiddenShapes, session.line().seed));
  for (Sizes sizes : hidden) {
    if (sizes.overrides.empty()) {
      sizes.overrides = base.overrides;
    }
    STITCH_ASSIGN(Subject subject, subject_at(session, task, program, sources, sizes, "hidden shape"));
    set.subjects.push_back(std::move(subject));
    session.reporter().progress("shapes",
                                fmt::format("{} of {}: {}", set.subjects.size() - 1, hidden.size(), describe(sizes)));
  }
  return set;
}

}  // namespace stitch::cli
