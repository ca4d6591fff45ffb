// SPDX-License-Identifier: Apache-2.0
// The sizes a program is judged at: its own (or reduced ones where its own are too much for an emulated device), and
// hidden ones. Where only the batch differs, and is a run-time argument, the very same binary is run. Other sizes are
// an ordinary import, planned with the settings of the program that is judged and built from its step files: steps hold
// no sizes, so the code that runs here is the code that was emitted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/build/compile_program.h"
#include "driver/import/import_program.h"
#include "evaluate/candidate.h"

namespace stitch::driver {

struct Subject {
  std::string shape;  // "declared shapes", "reduced sizes BATCH=3", "hidden shape ..."
  Task task;
  plan::Plan plan;
  SourceBundle bundle;
  // Run on the binary of the set's first subject: only the batch differs, and that is an argument. Plan and bundle are
  // then that subject's.
  bool same_binary = false;
  std::vector<std::vector<int64_t>> input_shapes;  // that it is run at
  std::string library = {};                        // of a candidate that came built: then there is no bundle
  double draw_seconds = 0;  // at reduced sizes: what a draw is estimated to take the emulated device
  std::string note = {};    // what a verdict at these sizes says less about, and why
  std::set<std::string> emitted =
      {};  // with strange steps: units that are as we emitted them, by a plan of this process
};

struct SubjectSet {
  std::string scale;  // "full" or "small"
  std::vector<Subject> subjects;
  // On a GPU: the program at reduced sizes, for a draw under the sanitizers of the emulated device.
  std::optional<Subject> checked;
  std::string checked_note;        // why there is none
  bool is_outside = false;         // somebody else wrote it: its library is looked at before it is loaded
  bool has_strange_steps = false;  // somebody else wrote some steps: likewise, unless loads_libraries()
  std::shared_ptr<evaluate::LaunchLedger> launches{};  // of the first subject, where somebody wants to know what ran
};

// Whether a program of ours loads cuBLAS or cuDNN, which a stranger's must not: what the host side of its library calls
// says nothing about its steps then.
bool loads_libraries(const SourceBundle& ours);
// Of a subject of the set.
toolchain::Authors authors_of(const SubjectSet& set, const Subject& subject);

// `program` is the program at its own sizes as it was emitted, `sources` its files as they are now (a person may have
// edited a step). kUsage when an edited step cannot be carried to other sizes. The sizes that it is judged at first:
Result<SubjectSet> make_first_subject(Job& job, const Task& task, const ImportedProgram& imported,
                                      const EmittedProgram& program, const SourceBundle& sources, DeviceKind device);
// The program at reduced sizes at which its kernels take the ways that they take at its own: to count what they do.
Result<Subject> make_counted_subject(Job& job, const Task& task, const EmittedProgram& program,
                                     const SourceBundle& sources);
// The sizes that it is judged at first, followed by the hidden ones.
Result<SubjectSet> make_subjects(Job& job, const Task& task, const ImportedProgram& imported,
                                 const EmittedProgram& program, const SourceBundle& sources, DeviceKind device);

}  // namespace stitch::driver
