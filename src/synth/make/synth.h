// SPDX-License-Identifier: Apache-2.0
// `stitchcuda synth`: a folder of fresh tasks, made by rule from a seed, through filters that are counted each. The
// folder goes on where it was stopped, kill -9 included, and the same options make the same folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "artifact/task/math_mode.h"
#include "driver/job/job.h"
#include "synth/folder/candidate.h"
#include "synth/folder/settings.h"

namespace stitch::synth {

struct SynthRequest {
  std::filesystem::path out{};
  size_t count = 100;  // of tasks that pass
  Settings settings{};
  bool with_transformers = true;    // where they are installed
  int jobs = 2;                     // Python processes
  bool admits = false;              // ask at last whether wrong answers would be refused: seconds a task
  bool measures = false;            // eager times on a GPU
  MathMode math = MathMode::kFp32;  // of admission
  driver::Options options{};
};

struct SynthReport {
  std::vector<Candidate> kept{};           // the first `count`, in order
  size_t made = 0;                         // candidates
  std::map<std::string, size_t> fallen{};  // by filter
  std::map<std::string, size_t> splits{};
  std::map<std::string, size_t> admission{};  // "admitted", "weak" ...; "not asked" and "failed"
  size_t families = 0;
  size_t mined = 0;             // layers of transformers that served as seeds
  std::string without_mined{};  // why there are none
  size_t made_before = 0;       // of `made`, by a run before this one
  double seconds = 0;           // of this one
  bool is_measured = false;     // on a GPU
};

// kUsage for a folder that was made by other options, kEnvironment where Python or the disk fails.
Result<SynthReport> synth(const SynthRequest& request, const driver::Services& services);
Json to_json(const SynthReport& report);

// How many candidates are decided together: what is a copy of what within it follows from their order alone.
inline constexpr size_t kWindow = 32;

}  // namespace stitch::synth
