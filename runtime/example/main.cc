// SPDX-License-Identifier: Apache-2.0
// Runs a generated program from C++: loads weights from a safetensors file, makes inputs, runs, prints what came out
// and how long it took. A host of your own needs no more than this file shows.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host/device_memory.h"
#include "host/graph_cache.h"
#include "host/safetensors.h"
#include "host_timing.h"
#include "stitch_program.h"
#include "tensors.h"

namespace {

using stitch::DeviceMemory;
using stitch::SafeTensor;
using stitch_example::TensorList;

constexpr const char* kUsage =
    "usage: %s [--library PROGRAM.so] [--weights FILE] [--inputs FILE] [--outputs FILE] [--batch N] [--repeat N]\n"
    "       [--no-graph]\n"
    "  --library  a generated program (default: the one this host is linked with)\n"
    "  --weights  safetensors file of parameters, constants and states (default: pseudo-random)\n"
    "  --inputs   safetensors file of inputs (default: pseudo-random)\n"
    "  --outputs  where to write outputs and new states as a safetensors file\n"
    "  --batch    another batch than the declared one, where the program takes it (default: that of --inputs)\n"
    "  --host-calls  timed calls on tensors in host memory, copies overlapped (default 0)\n"
    "  --repeat   timed runs (default 20)\n"
    "  --no-graph launch step by step instead of through a CUDA graph\n";

struct Options {
  std::string library;
  std::string weights;
  std::string inputs;
  std::string outputs;
  int repeat = 20;
  std::int64_t batch = 0;  // 0: as the inputs have it, or as declared
  int host_calls = 0;
  bool graph = true;
};

bool parse_options(int count, char** arguments, Options* options) {
  for (int index = 1; index < count; ++index) {
    const std::string name = arguments[index];
    if (name == "--no-graph") {
      options->graph = false;
      continue;
    }
    if (index + 1 >= count) {
      return false;
    }
    const std::string value = arguments[++index];
    if (name == "--library") {
      options->library = value;
    } else if (name == "--weights") {
      options->weights = value;
    } else if (name == "--inputs") {
      options->inputs = value;
    } else if (name == "--outputs") {
      options->outputs = value;
    } else if (name == "--batch") {
      options->batch = std::atoll(value.c_str());
      if (options->batch <= 0) {
        return false;
      }
    } else if (name == "--host-calls") {
      options->host_calls = std::atoi(value.c_str());
    } else if (name == "--repeat") {
      options->repeat = std::atoi(value.c_str());
    } else {
      return false;
    }
  }
  return options->repeat > 0;
}

int fail(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return 1;
}

const StitchProgramV1* load_program(const std::string& library) {
  if (library.empty()) {
    return stitch_program_v1();
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = handle == nullptr ? nullptr : dlsym(handle, "stitch_program_v1");
  if (entry == nullptr) {
    const char* reason = dlerror();
    std::fprintf(stderr, "%s cannot be loaded: %s\n", library.c_str(), reason == nullptr ? "unknown" : reason);
    return nullptr;
  }
  return reinterpret_cast<const StitchProgramV1* (*)()>(entry)();
}

// Everything a call needs, in device memory.
struct Session {
  const StitchProgramV1* program = nullptr;
  StitchHandle* handle = nullptr;
  cudaStream_t stream = nullptr;
  TensorList inputs;
  TensorList parameters;
  TensorList states_in;
  TensorList states_out;
  TensorList outputs;
  DeviceMemory prepared;
  DeviceMemory workspace;
};

TensorList& list_of(Session& session, const StitchTensorInfo& info) {
  switch (info.role) {
    case STITCH_INPUT:
      return session.inputs;
    case STITCH_PARAMETER:
    case STITCH_CONSTANT:
      return session.parameters;
    case STITCH_STATE:
      return info.alias_of >= 0 ? session.states_out : session.states_in;
    default:
      return session.outputs;
  }
}

// A file of weights has all of them: one that is drawn among given ones would make a silently wrong program.
std::string lacks(const std::vector<SafeTensor>& weights, const StitchTensorInfo& info, const std::string& file) {
  for (const SafeTensor& tensor : weights) {
    if (tensor.name == info.name) {
      return "";
    }
  }
  return file + " lacks \"" + info.name + "\", which the program takes.";
}

std::string load_tensors(const Options& options, Session& session) {
  std::vector<SafeTensor> weights;
  std::vector<SafeTensor> inputs;
  std::string problem = options.weights.empty() ? "" : stitch::read_safetensors(options.weights, &weights);
  if (problem.empty() && !options.inputs.empty()) {
    problem = stitch::read_safetensors(options.inputs, &inputs);
  }
  const StitchDescription& description = *session.program->describe();
  const stitch_example::Batch batch = stitch_example::batch_of(description, inputs, options.batch);
  for (std::int32_t index = 0; problem.empty() && index < description.tensor_count; ++index) {
    const StitchTensorInfo& info = description.tensors[index];
    const bool is_in_file =
        std::any_of(inputs.begin(), inputs.end(), [&](const SafeTensor& input) { return input.name == info.name; });
    if (info.optional != 0 && !is_in_file) {
      continue;  // the program draws its own random numbers
    }
    const auto seed = static_cast<std::uint64_t>(index) + 1;
    if (info.role != STITCH_INPUT && info.role != STITCH_OUTPUT) {
      problem = options.weights.empty() ? "" : lacks(weights, info, options.weights);
    }
    problem = !problem.empty()
                  ? problem
                  : list_of(session, info).add(info, batch, info.role == STITCH_INPUT ? inputs : weights, seed);
  }
  return problem;
}

std::string last_error(const Session& session) { return session.program->last_error(session.handle); }

std::string prepare(Session& session) {
  const StitchDescription& description = *session.program->describe();
  session.prepared = DeviceMemory(description.prepared_bytes);
  if (!session.prepared.ok()) {
    return "no device memory for the prepared parameters.";
  }
  const StitchParameters parameters{sizeof(StitchParameters),  STITCH_ABI_VERSION,     session.parameters.count(), 0,
                                    session.parameters.data(), session.prepared.data()};
  if (session.program->prepare(session.handle, &parameters, session.stream) != STITCH_OK) {
    return last_error(session);
  }
  const std::uint64_t bytes =
      session.program->workspace_bytes(session.handle, session.inputs.data(), session.inputs.count());
  if (bytes == UINT64_MAX) {
    return last_error(session);
  }
  session.workspace = DeviceMemory(bytes);
  return session.workspace.ok() ? "" : "no device memory for the workspace.";
}

StitchCall make_call(const Session& session) {
  StitchCall call{};
  call.struct_size = sizeof(call);
  call.abi_version = STITCH_ABI_VERSION;
  call.input_count = session.inputs.count();
  call.state_count = session.states_in.count();
  call.output_count = session.outputs.count();
  call.inputs = session.inputs.data();
  call.states_in = session.states_in.data();
  call.states_out = session.states_out.data();
  call.outputs = session.outputs.data();
  call.workspace = session.workspace.data();
  call.workspace_size = session.workspace.bytes();
  call.stream = session.stream;
  return call;
}

// The mean time of a run in microseconds, or a negative number when one failed.
double time_runs(const Session& session, const Options& options) {
  stitch::GraphCache graphs(session.program, session.handle);
  const StitchCall call = make_call(session);
  const auto run = [&] { return options.graph ? graphs.run(call) : session.program->run(session.handle, &call); };
  if (run() != STITCH_OK || run() != STITCH_OK) {
    return -1.0;
  }
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, session.stream);
  bool ok = true;
  for (int count = 0; ok && count < options.repeat; ++count) {
    ok = run() == STITCH_OK;
  }
  cudaEventRecord(end, session.stream);
  ok = cudaStreamSynchronize(session.stream) == cudaSuccess && ok;
  float elapsed_ms = 0.0f;
  cudaEventElapsedTime(&elapsed_ms, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return ok ? static_cast<double>(elapsed_ms) * 1000.0 / options.repeat : -1.0;
}

std::string report(const Session& session, const std::string& path) {
  std::vector<SafeTensor> results;
  for (const TensorList* list : {&session.outputs, &session.states_out}) {
    for (std::int32_t index = 0; index < list->count(); ++index) {
      SafeTensor tensor;
      const std::string problem = list->read(index, &tensor);
      if (!problem.empty()) {
        return problem;
      }
      tensor.name = (list == &session.outputs ? "output." : "state.") + tensor.name;
      std::printf("%-24s %s\n", tensor.name.c_str(), stitch_example::summary(tensor).c_str());
      results.push_back(tensor);
    }
  }
  return path.empty() ? "" : stitch::write_safetensors(path, results);
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse_options(count, arguments, &options)) {
    std::fprintf(stderr, kUsage, arguments[0]);
    return 2;
  }
  Session session;
  session.program = load_program(options.library);
  if (session.program == nullptr) {
    return 1;
  }
  if (session.program->create(0, &session.handle) != STITCH_OK || cudaStreamCreate(&session.stream) != cudaSuccess) {
    return fail("CUDA device 0 cannot be used.");
  }
  std::string problem = load_tensors(options, session);
  problem = problem.empty() ? prepare(session) : problem;
  if (!problem.empty()) {
    return fail(problem);
  }
  std::printf("%s: %d of %d parameters and %d of %d inputs from files\n", session.program->describe()->name,
              session.parameters.found(), session.parameters.count(), session.inputs.found(), session.inputs.count());
  // One plain run first: its results are what the report shows, whatever the timed runs do to the states.
  const StitchCall call = make_call(session);
  if (session.program->run(session.handle, &call) != STITCH_OK ||
      cudaStreamSynchronize(session.stream) != cudaSuccess) {
    return fail("run failed: " + last_error(session));
  }
  problem = report(session, options.outputs);
  if (!problem.empty()) {
    return fail(problem);
  }
  const double elapsed_us = time_runs(session, options);
  if (elapsed_us < 0.0) {
    return fail("run failed: " + last_error(session));
  }
  std::printf("%.1f us per run, mean of %d%s\n", elapsed_us, options.repeat, options.graph ? ", CUDA graph" : "");
  if (options.host_calls > 0) {
    problem = stitch_example::time_host_calls(session.program, session.handle, session.inputs, session.states_in,
                                              session.outputs, options.host_calls);
    if (!problem.empty()) {
      return fail(problem);
    }
  }
  session.program->destroy(session.handle);
  cudaStreamDestroy(session.stream);
  return 0;
}
