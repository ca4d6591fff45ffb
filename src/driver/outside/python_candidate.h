// SPDX-License-Identifier: Apache-2.0
// Judges a candidate in KernelBench's form: a Python file with a class ModelNew, run in a worker of its own.
#pragma once

#include "base/json/json_forward.h"
#include "driver/judge/judge.h"
#include "driver/outside/source_facts.h"
#include "evaluate/inspect/native_files.h"
#include "evaluate/policy/framework_share.h"

namespace stitch::driver {

struct PythonVerdict {
  evaluate::CandidateBinary binary;              // as it was judged
  std::shared_ptr<TemporaryDirectory> shown;     // the files that it sees
  std::shared_ptr<TemporaryDirectory> compiled;  // what its rehearsal left, which it reads; may be null
  evaluate::EvaluateReport report;
  evaluate::FrameworkShare framework;
  evaluate::NativeFiles native;  // that lie beside it
  evaluate::NativeFiles built;   // that its rehearsal compiled
  SourceFacts source;
};

// `candidate` is the file, or the folder that holds model_new.py.
Result<PythonVerdict> judge_python_candidate(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                             const std::string& candidate, DeviceKind device);
Json to_json(const PythonVerdict& verdict);

}  // namespace stitch::driver
