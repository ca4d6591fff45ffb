// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/subjects.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/import/batch.h"

namespace stitch::driver {
namespace {

constexpr int kOtherBatches = 3;  // on one binary
// What the emulated device gets through in a second on one core, and what one verdict asks of it: a draw in each of
// twenty, hidden shapes, and a checked draw that counts ten times.
constexpr double kEmulatedFlopsPerSecond = 2.5e8;
constexpr double kRunsPerVerdict = 40;
constexpr double kAffordableSeconds = 60;
constexpr double kBearable = 2;  // times what sizes are chosen for: not worth a sentence

bool has_written_steps(const plan::Plan& plan) {
  return std::any_of(plan.boundaries.begin(), plan.boundaries.end(),
                     [](const plan::Boundary& boundary) { return boundary.written.has_value(); });
}

// Code for its own sizes alone is judged at those, whatever that takes. kUsage where others were asked for.
Result<void> check_scale(ScaleChoice scale, const plan::Plan& plan) {
  const std::string why = plan::why_own_sizes(plan);
  if (scale == ScaleChoice::kSmall && !why.empty()) {
    return failure(ErrorCode::kUsage, why + ": it cannot be run at others", {}, "verify it with --scale full");
  }
  return {};
}

bool wants_small(ScaleChoice scale, const ImportedProgram& imported, const plan::Plan& plan, DeviceKind device) {
  if (!plan::why_own_sizes(plan).empty()) {
    return false;
  }
  if (scale != ScaleChoice::kAuto) {
    return scale == ScaleChoice::kSmall;
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

// What there is to judge, with the program it is a form of.
struct Origin {
  const EmittedProgram& program;
  const SourceBundle& sources;
};

// The same settings at other sizes, built from the same step files.
Result<Subject> generated_at(Job& job, const Task& task, const ir::Graph& graph, const Origin& origin,
                             bool with_batch) {
  Subject subject;
  subject.task = task;
  STITCH_ASSIGN(EmittedProgram emitted, plan_and_emit(job, graph, task.math, &origin.program.plan));
  if (with_batch) {
    STITCH_TRY(give_batch(job, task, batch_axes_of(origin.program.plan), graph, emitted.plan));
    STITCH_ASSIGN(emitted, emit_again(job, std::move(emitted.plan)));
  }
  subject.plan = std::move(emitted.plan);
  STITCH_ASSIGN(subject.bundle, with_sources(std::move(emitted.bundle), origin.program.bundle, origin.sources));
  return subject;
}

Result<Subject> hidden_subject(Job& job, const Task& task, const Origin& origin) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, task));
  STITCH_ASSIGN(Subject subject, generated_at(job, task, imported.graph, origin, false));
  subject.shape = fmt::format("hidden shape {}", describe(task.sizes));
  subject.input_shapes = input_shapes(imported.graph);
  return subject;
}

// The program at reduced sizes. Steps planned for a batch of one leave its axis out: where the reduced batch is one,
// the program is made for a larger one and then called with one.
Result<Subject> reduced_subject(Job& job, const Task& task, const Origin& origin) {
  constexpr int64_t kPlannedBatch = 3;
  STITCH_ASSIGN(ImportedProgram imported, import_program(job, task));
  const bool with_batch = origin.program.plan.batch.has_value();
  const BatchAxes axes = batch_axes_of(origin.program.plan);
  Task planned = task;
  InputShapes shapes = input_shapes(imported.graph);
  if (with_batch && batch_in(shapes, axes) == 1 && axes.minimum == 1) {
    planned.sizes.input_shapes = at_batch(shapes, axes, kPlannedBatch);
    STITCH_ASSIGN(imported, import_program(job, planned));
  }
  STITCH_ASSIGN(Subject subject, generated_at(job, planned, imported.graph, origin, with_batch));
  subject.task = task;
  subject.input_shapes = std::move(shapes);
  subject.shape = fmt::format("reduced sizes {}", describe(task.sizes));
  return subject;
}

// What the report says of reduced sizes that are too dear, or too small for what kernels do.
std::string note_on(const SmallSizes& small) {
  std::string note;
  if (small.seconds > kSmallSeconds * kBearable) {
    note = fmt::format(
        "at reduced sizes ({}) a draw is estimated to take the emulated device {:.2g} s, more than the "
        "{:.2g} s that sizes are chosen for: smaller ones would leave out tiles or their rests",
        describe(small.sizes), small.seconds, kSmallSeconds);
  }
  for (const std::string& direction : small.short_of) {
    note += fmt::format("{}{} reaches less than two tiles and a rest", note.empty() ? "at reduced sizes " : "; ",
                        direction);
  }
  return note;
}

// The program at smaller sizes, with what is said of them.
Result<Subject> small_subject(Job& job, Task task, const SmallSizes& small, const Origin& origin) {
  task.sizes = small.sizes;
  STITCH_ASSIGN(Subject subject, reduced_subject(job, task, origin));
  subject.draw_seconds = small.seconds;
  subject.note = note_on(small);
  if (!subject.note.empty()) {
    job.progress().fact("shapes", subject.note);
  }
  return subject;
}

// A GPU has no sanitizers: what they say of the same step files at reduced sizes is said beside its verdict.
void add_checked(Job& job, const Task& task, const Origin& origin, SubjectSet& set) {
  const auto reduced = [&]() -> Result<Subject> {
    STITCH_ASSIGN(const SmallSizes small, small_sizes(job, task));
    return small_subject(job, task, small, origin);
  };
  Result<Subject> subject = reduced();
  if (!subject.has_value()) {
    set.checked_note = subject.error().message;
    return;
  }
  set.checked = std::move(subject).value();
  set.checked->shape += ", checked on the emulated device";
}

// Batches to run on one binary beside the one it is judged at: the least, and one near.
std::vector<int64_t> other_batches(const plan::RunTimeBatch& batch, int64_t present) {
  std::vector<int64_t> batches;
  const int64_t near = present > 8 ? (present * 3 / 4) | 1 : present + 1;
  for (const int64_t other : {batch.minimum, near}) {
    if (other != present && other >= batch.minimum && other <= batch.maximum) {
      batches.push_back(other);
    }
  }
  return batches;
}

// Adds subjects beside the first: batches on its binary, and other sizes.
class OtherSubjects {
 public:
  OtherSubjects(Job& job, SubjectSet& set, const Origin& origin)
      : job_(job), set_(set), origin_(origin), axes_(batch_axes_of(set.subjects.front().plan)) {
    if (first().plan.batch.has_value()) {
      present_ = batch_in(first().input_shapes, axes_);
    }
  }

  void add_batches() {
    if (present_.has_value()) {
      for (const int64_t batch : other_batches(*first().plan.batch, *present_)) {
        add_batch(batch);
      }
    }
  }

  Result<void> add_hidden(Sizes sizes) {
    if (sizes.overrides.empty()) {
      sizes.overrides = first().task.sizes.overrides;
    }
    if (const std::optional<int64_t> batch = batch_alone(sizes); batch.has_value()) {
      add_batch(*batch);
      return {};
    }
    const int most = present_.has_value() ? kHiddenShapes - 1 : kHiddenShapes;
    if (generated_ == most) {
      return {};
    }
    ++generated_;
    Task task = first().task;
    task.sizes = std::move(sizes);
    STITCH_ASSIGN(Subject subject, hidden_subject(job_, task, origin_));
    job_.progress().fact("shapes", subject.shape);
    set_.subjects.push_back(std::move(subject));
    return {};
  }

 private:
  const Subject& first() const { return set_.subjects.front(); }

  // The batch of sizes that differ from the first subject's in nothing else, and that its binary takes.
  std::optional<int64_t> batch_alone(const Sizes& sizes) const {
    if (!present_.has_value() || !sizes.input_shapes.has_value() || sizes.overrides != first().task.sizes.overrides) {
      return std::nullopt;
    }
    const std::optional<int64_t> batch = batch_in(*sizes.input_shapes, axes_);
    const bool is_alone = batch.has_value() && *batch >= axes_.minimum && *batch <= axes_.maximum &&
                          at_batch(first().input_shapes, axes_, *batch) == *sizes.input_shapes;
    return is_alone ? batch : std::nullopt;
  }

  void add_batch(int64_t batch) {
    InputShapes shapes = at_batch(first().input_shapes, axes_, batch);
    if (batches_ == kOtherBatches) {
      return;
    }
    for (const Subject& subject : set_.subjects) {
      if (subject.input_shapes == shapes) {
        return;
      }
    }
    Subject subject = first();
    subject.shape = fmt::format("batch {} on the same binary", batch);
    subject.task.sizes.input_shapes = shapes;
    subject.input_shapes = std::move(shapes);
    subject.same_binary = true;
    job_.progress().fact("shapes", fmt::format("{}: {}", subject.shape, describe(subject.task.sizes)));
    set_.subjects.push_back(std::move(subject));
    ++batches_;
  }

  Job& job_;
  SubjectSet& set_;
  const Origin& origin_;
  BatchAxes axes_;
  std::optional<int64_t> present_;
  int generated_ = 0;
  int batches_ = 0;
};

}  // namespace

bool loads_libraries(const SourceBundle& ours) {
  const auto first = ours.files.lower_bound("runtime/libraries/");
  return first != ours.files.end() && first->first.starts_with("runtime/libraries/");
}

toolchain::Authors authors_of(const SubjectSet& set, const Subject& subject) {
  return {set.is_outside || (set.has_strange_steps && !loads_libraries(subject.bundle)), subject.emitted};
}

Result<SubjectSet> make_first_subject(Job& job, const Task& task, const ImportedProgram& imported,
                                      const EmittedProgram& program, const SourceBundle& sources, DeviceKind device) {
  STITCH_TRY(check_scale(job.options().scale, program.plan));
  SubjectSet set;
  set.has_strange_steps = has_written_steps(program.plan);
  const Origin origin{program, sources};
  SmallSizes small;
  small.sizes = task.sizes;
  if (wants_small(job.options().scale, imported, program.plan, device)) {
    STITCH_ASSIGN(small, small_sizes(job, task));
  }
  set.scale = small.sizes.are_own() ? "full" : "small";
  if (small.sizes.are_own()) {
    set.subjects.push_back({"declared shapes", task, program.plan, sources, false, input_shapes(imported.graph)});
  } else {
    STITCH_ASSIGN(Subject reduced, small_subject(job, task, small, origin));
    set.subjects.push_back(std::move(reduced));
  }
  return set;
}

Result<Subject> make_counted_subject(Job& job, const Task& task, const EmittedProgram& program,
                                     const SourceBundle& sources) {
  STITCH_ASSIGN(const SmallSizes small, small_sizes(job, task, true));
  Task reduced = task;
  reduced.sizes = small.sizes;
  return reduced_subject(job, reduced, {program, sources});
}

Result<SubjectSet> make_subjects(Job& job, const Task& task, const ImportedProgram& imported,
                                 const EmittedProgram& program, const SourceBundle& sources, DeviceKind device) {
  STITCH_ASSIGN(SubjectSet set, make_first_subject(job, task, imported, program, sources, device));
  const Origin origin{program, sources};
  if (const std::string why = plan::why_own_sizes(program.plan); !why.empty()) {
    set.checked_note = why;
    job.progress().fact("shapes", fmt::format("no hidden ones: {}", why));
    return set;
  }
  if (device == DeviceKind::kCuda) {
    add_checked(job, task, origin, set);
  }
  const Task based = set.subjects.front().task;
  OtherSubjects others(job, set, origin);
  others.add_batches();
  STITCH_ASSIGN(const std::vector<Sizes> hidden, hidden_sizes(job, based, kHiddenShapes, job.options().seed));
  for (const Sizes& sizes : hidden) {
    STITCH_TRY(others.add_hidden(sizes));
  }
  return set;
}

}  // namespace stitch::driver
