// SPDX-License-Identifier: Apache-2.0
// The C ABI over tables: a program of two steps (a prepared scale, then y = x * scale + state, state + 1; the second
// step keeps the scale as well), its checks of what callers hand in, and the graph cache over it.
#include <cstring>

#include "host/graph_cache.h"
#include "host/host_calls.h"
#include "host/program_tables.h"
#include "kernels/pointwise/map.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr int64_t kCount = 6;

struct Double {
  const float* weight;
  float* scale;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    scale[at[0]] = 2.0f * weight[at[0]];
  }
};

struct Apply {
  const float* x;
  const float* scale;
  const float* kept_scale;
  const float* state;
  float* y;
  float* new_state;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    const float old_state = state[at[0]];
    y[at[0]] = x[at[0]] * 0.5f * (scale[at[0]] + kept_scale[at[0]]) + old_state;
    new_state[at[0]] = old_state + 1.0f;
  }
};

int step_00(const StepArgs* args, cudaStream_t stream) {
  const Double functor{static_cast<const float*>(args->tensors[0]), static_cast<float*>(args->tensors[1])};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
}

int step_01(const StepArgs* args, cudaStream_t stream) {
  if (args->fills_kept) {
    const Double functor{static_cast<const float*>(args->tensors[2]), static_cast<float*>(args->kept)};
    return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
  }
  const Apply functor{static_cast<const float*>(args->tensors[0]), static_cast<const float*>(args->tensors[1]),
                      static_cast<const float*>(args->kept),       static_cast<const float*>(args->tensors[3]),
                      static_cast<float*>(args->tensors[4]),       static_cast<float*>(args->tensors[5])};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
}

const int64_t kExtents[] = {kCount};
const uint8_t kFixed[] = {0};
StitchTensorInfo tensor(const char* name, int32_t role, int32_t alias_of) {
  return {name, role, STITCH_FLOAT32, 1, 16, kExtents, kFixed, kExtents, kExtents, alias_of, 0};
}
const StitchTensorInfo kTensors[] = {tensor("x", STITCH_INPUT, -1), tensor("weight", STITCH_PARAMETER, -1),
                                     tensor("steps", STITCH_STATE, -1), tensor("steps", STITCH_STATE, 0),
                                     tensor("0", STITCH_OUTPUT, -1)};
constexpr Size kBytes = {kCount * sizeof(float), 0};
const BufferTable kBuffers[] = {
    {.name = "weight", .kind = BufferKind::kParameter, .bytes = kBytes},
    {.name = "doubled", .kind = BufferKind::kPrepared, .offset = 256, .bytes = kBytes, .last_step = 1},
    {.name = "x", .kind = BufferKind::kInput, .bytes = kBytes, .last_step = 1},
    {.name = "old_steps", .kind = BufferKind::kStateIn, .bytes = kBytes, .last_step = 1},
    {.name = "y", .kind = BufferKind::kOutput, .bytes = kBytes, .first_step = 1, .last_step = 1},
    {.name = "steps", .kind = BufferKind::kStateOut, .bytes = kBytes, .first_step = 1, .last_step = 1}};
const Size kStepExtents[] = {{kCount}};
const int32_t kStep00Buffers[] = {0, 1};
const int32_t kStep01Buffers[] = {2, 1, 0, 3, 4, 5};
constexpr uint64_t kKeptOffset = 0;
const StepTable kSteps[] = {{"double", step_00, StepPhase::kPrepare, kStep00Buffers, 2, kStepExtents, 1},
                            {"apply",
                             step_01,
                             StepPhase::kRun,
                             kStep01Buffers,
                             6,
                             kStepExtents,
                             1,
                             0,
                             {},
                             kKeptOffset,
                             kCount * sizeof(float)}};

// A call with everything in place.
struct Session {
  const StitchProgramV1* program = stitch_program_v1();
  StitchHandle* handle = nullptr;
  DeviceFloats x{random_floats(kCount, 1)};
  DeviceFloats weight{random_floats(kCount, 2)};
  DeviceFloats state{std::vector<float>(kCount, 5.0f)};
  DeviceFloats y{kCount};
  DeviceFloats prepared{128};
  StitchTensor inputs[1] = {{x.data(), 1, 0, kExtents}};
  StitchTensor parameters[1] = {{weight.data(), 1, 0, kExtents}};
  StitchTensor states[1] = {{state.data(), 1, 0, kExtents}};
  StitchTensor outputs[1] = {{y.data(), 1, 0, kExtents}};

  StitchParameters prepare_arguments() {
    return {sizeof(StitchParameters), STITCH_ABI_VERSION, 1, 0, parameters, prepared.data()};
  }
  StitchCall call(cudaStream_t stream) {
    StitchCall made{};
    made.struct_size = sizeof(made);
    made.abi_version = STITCH_ABI_VERSION;
    made.input_count = made.state_count = made.output_count = 1;
    made.inputs = inputs;
    made.states_in = made.states_out = states;
    made.outputs = outputs;
    made.stream = stream;
    return made;
  }
  std::vector<double> expected(float old_state) const {
    std::vector<double> want;
    const auto xs = x.values();
    const auto weights = weight.values();
    for (int64_t index = 0; index < kCount; ++index) {
      want.push_back(xs[index] * 2.0 * weights[index] + old_state);
    }
    return want;
  }
};

void check_refusals(Checker& checker, Session& session) {
  const auto refused = [&](const char* what, int number, const StitchCall& call, const char* word) {
    checker.is_true(what, session.program->run(session.handle, &call) == number &&
                              std::strstr(session.program->last_error(session.handle), word) != nullptr);
  };
  refused("run before prepare", STITCH_NOT_PREPARED, session.call(nullptr), "prepare()");
  StitchCall call = session.call(nullptr);
  call.abi_version = 7;
  refused("another version", STITCH_INVALID_ARGUMENT, call, "abi_version 7");
  call = session.call(nullptr);
  call.input_count = 2;
  refused("a wrong count", STITCH_INVALID_ARGUMENT, call, "takes 1 tensors as inputs");
  const int64_t longer[] = {kCount + 1};
  const StitchTensor wrong_shape[] = {{session.x.data(), 1, 0, longer}};
  call = session.call(nullptr);
  call.inputs = wrong_shape;
  refused("a wrong extent", STITCH_INVALID_SHAPE, call, "extent 7 on axis 0");
  checker.is_true("workspace of a wrong extent",
                  session.program->workspace_bytes(session.handle, wrong_shape, 1) == UINT64_MAX);
  const StitchTensor misaligned[] = {{session.x.data() + 1, 1, 0, kExtents}};
  call.inputs = misaligned;
  refused("a misaligned tensor", STITCH_INVALID_ARGUMENT, call, "not aligned");
  const StitchTensor missing[] = {{nullptr, 1, 0, kExtents}};
  call.inputs = missing;
  refused("a null tensor", STITCH_INVALID_ARGUMENT, call, "has no data");
}

void check_runs(Checker& checker, Session& session) {
  const StitchParameters parameters = session.prepare_arguments();
  checker.is_true("prepare", session.program->prepare(session.handle, &parameters, nullptr) == STITCH_OK);
  checker.is_true("workspace", session.program->workspace_bytes(session.handle, session.inputs, 1) == 0);
  const StitchCall call = session.call(nullptr);
  checker.is_true("run", session.program->run(session.handle, &call) == STITCH_OK);
  checker.close("output", session.y.values(), session.expected(5.0f), 1e-6);
  checker.close("state", session.state.values(), std::vector<double>(kCount, 6.0), 0.0);
}

void check_graphs(Checker& checker, Session& session) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  GraphCache graphs(session.program, session.handle);
  const StitchCall call = session.call(stream);
  for (int run = 0; run < 3; ++run) {
    checker.is_true("graph run", graphs.run(call) == STITCH_OK);
  }
  cudaStreamSynchronize(stream);
  checker.is_true("first run records, later ones replay", graphs.size() == 1 && graphs.replays() == 2);
  checker.close("state after three runs", session.state.values(), std::vector<double>(kCount, 9.0), 0.0);
  checker.close("output of the last", session.y.values(), session.expected(8.0f), 1e-6);
  for (uint64_t seed = 1; seed <= GraphCache::kGraphs; ++seed) {
    StitchCall other = call;
    other.rng_seed = seed;
    graphs.run(other);
  }
  checker.is_true("at most eight graphs", graphs.size() == GraphCache::kGraphs);
  graphs.run(call);
  checker.is_true("the oldest was dropped", graphs.replays() == 2);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

// Six calls in two slots: each has outputs of its own, and the state goes from one to the next.
void check_host_calls(Checker& checker, Session& session) {
  constexpr int kCalls = 6;
  const DeviceFloats fresh(std::vector<float>(kCount, 1.0f));
  const std::vector<float> weights = session.weight.values();
  std::vector<std::vector<float>> xs;
  std::vector<std::vector<float>> ys(kCalls, std::vector<float>(kCount, -1.0f));
  {
    HostCalls host(session.program, session.handle, {{fresh.data(), 1, 0, kExtents}});
    std::vector<float> x;
    for (int call = 0; call < kCalls; ++call) {
      x = random_floats(kCount, static_cast<uint64_t>(call) + 20);
      xs.push_back(x);
      const bool ok = host.run_host({{x.data(), 1, 0, kExtents}}, {{ys[call].data(), 1, 0, kExtents}}) == STITCH_OK;
      checker.is_true("run_host", ok);
      x.assign(kCount, 99.0f);  // the caller's memory is its own again
    }
    checker.is_true("the last call's outputs wait for finish", ys[kCalls - 1][0] == -1.0f);
    checker.is_true("finish", host.finish() == STITCH_OK);
    checker.is_true("bytes", host.bytes_in() == kCount * sizeof(float) && host.bytes_out() == host.bytes_in());
    const int64_t longer[] = {kCount + 1};
    checker.is_true("a wrong extent", host.run_host({{x.data(), 1, 0, longer}}, {{ys[0].data(), 1, 0, kExtents}}) ==
                                              STITCH_INVALID_SHAPE &&
                                          host.error().find("extent 7") != std::string::npos);
    checker.is_true("a wrong count", host.run_host({}, {}) == STITCH_INVALID_ARGUMENT);
    checker.is_true("no data", host.run_host({{nullptr, 1, 0, kExtents}}, {{ys[0].data(), 1, 0, kExtents}}) ==
                                   STITCH_INVALID_ARGUMENT);
  }
  for (int call = 0; call < kCalls; ++call) {
    std::vector<double> want;
    for (int64_t index = 0; index < kCount; ++index) {
      want.push_back(xs[call][index] * 2.0 * weights[index] + 1.0 + call);
    }
    checker.close("outputs of a host call", ys[call], want, 1e-6);
  }
  checker.close("state after six host calls", fresh.values(), std::vector<double>(kCount, 7.0), 0.0);
}

}  // namespace

const ProgramTables stitch_program_tables = {
    {sizeof(StitchDescription), STITCH_ABI_VERSION, "two_steps", 5, 0, kTensors, 512},
    kBuffers,
    6,
    kSteps,
    2,
    nullptr,
    0};

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  Session session;
  checker.is_true("create", session.program->create(0, &session.handle) == STITCH_OK);
  checker.is_true("no such device", [&] {
    StitchHandle* none = nullptr;
    return session.program->create(99, &none) == STITCH_CUDA_ERROR && none == nullptr;
  }());
  check_refusals(checker, session);
  check_runs(checker, session);
  check_graphs(checker, session);
  check_host_calls(checker, session);
  session.program->destroy(session.handle);
  return checker.finish();
}
