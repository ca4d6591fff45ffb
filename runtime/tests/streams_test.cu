// SPDX-License-Identifier: Apache-2.0
// A program on two streams: two steps that read the input side by side, and one behind both. Its answers, calls by
// graph, which stream each step was launched on, and that a program may say that graphs are not worth it.
#include <cstring>

#include "host/graph_cache.h"
#include "host/program_tables.h"
#include "kernels/pointwise/map.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr int64_t kCount = 70;
constexpr uint64_t kAligned = 512;  // bytes of one buffer in the workspace

cudaStream_t launched_on[3] = {};

struct Scale {
  const float* x;
  float* y;
  float factor;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    y[at[0]] = factor * x[at[0]];
  }
};

struct Add {
  const float* a;
  const float* b;
  float* y;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    y[at[0]] = a[at[0]] + b[at[0]];
  }
};

template <int kStep>
int scale(const StepArgs* args, cudaStream_t stream) {
  launched_on[kStep] = stream;
  const Scale functor{static_cast<const float*>(args->tensors[0]), static_cast<float*>(args->tensors[1]), 2.0f + kStep};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
}

int add(const StepArgs* args, cudaStream_t stream) {
  launched_on[2] = stream;
  const Add functor{static_cast<const float*>(args->tensors[0]), static_cast<const float*>(args->tensors[1]),
                    static_cast<float*>(args->tensors[2])};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
}

const int64_t kExtents[] = {kCount};
const uint8_t kFixed[] = {0};
const StitchTensorInfo kTensors[] = {
    {"x", STITCH_INPUT, STITCH_FLOAT32, 1, 16, kExtents, kFixed, kExtents, kExtents, -1, 0},
    {"0", STITCH_OUTPUT, STITCH_FLOAT32, 1, 16, kExtents, kFixed, kExtents, kExtents, -1, 0}};
constexpr Size kBytes = {kCount * sizeof(float), 0};
// The first two may be written at the same time: the life of what the first one makes reaches over the second.
const BufferTable kBuffers[] = {
    {.name = "x", .kind = BufferKind::kInput, .bytes = kBytes, .last_step = 1},
    {.name = "doubled", .kind = BufferKind::kArena, .bytes = kBytes, .first_step = 0, .last_step = 2},
    {.name = "tripled", .kind = BufferKind::kArena, .bytes = kBytes, .first_step = 1, .last_step = 2},
    {.name = "y", .kind = BufferKind::kOutput, .bytes = kBytes, .first_step = 2, .last_step = 2}};
const Size kStepExtents[] = {{kCount}};
const int32_t kStep00Buffers[] = {0, 1};
const int32_t kStep01Buffers[] = {0, 2};
const int32_t kStep02Buffers[] = {1, 2, 3};
const int32_t kStep02Waits[] = {1};
const StepTable kSteps[] = {{.name = "double",
                             .function = scale<0>,
                             .phase = StepPhase::kRun,
                             .buffers = kStep00Buffers,
                             .buffer_count = 2,
                             .extents = kStepExtents,
                             .extent_count = 1,
                             .scratch = {64, 0},
                             .last_beside = 1},
                            {.name = "triple",
                             .function = scale<1>,
                             .phase = StepPhase::kRun,
                             .buffers = kStep01Buffers,
                             .buffer_count = 2,
                             .extents = kStepExtents,
                             .extent_count = 1,
                             .scratch = {64, 0},
                             .stream = 1,
                             .is_waited_for = true},
                            {.name = "add",
                             .function = add,
                             .phase = StepPhase::kRun,
                             .buffers = kStep02Buffers,
                             .buffer_count = 3,
                             .extents = kStepExtents,
                             .extent_count = 1,
                             .waits = kStep02Waits,
                             .wait_count = 1}};

struct Session {
  const StitchProgramV1* program = stitch_program_v1();
  StitchHandle* handle = nullptr;
  DeviceFloats x{random_floats(kCount, 1)};
  DeviceFloats y{kCount};
  DeviceFloats workspace{1024};
  DeviceFloats prepared{128};
  StitchTensor inputs[1] = {{x.data(), 1, 0, kExtents}};
  StitchTensor outputs[1] = {{y.data(), 1, 0, kExtents}};

  StitchCall call(cudaStream_t stream) {
    StitchCall made{};
    made.struct_size = sizeof(made);
    made.abi_version = STITCH_ABI_VERSION;
    made.input_count = made.output_count = 1;
    made.inputs = inputs;
    made.outputs = outputs;
    made.workspace = workspace.data();
    made.workspace_size = 1024 * sizeof(float);
    made.stream = stream;
    return made;
  }
  std::vector<double> expected() const {
    std::vector<double> want;
    for (const float value : x.values()) {
      want.push_back(5.0 * value);
    }
    return want;
  }
};

void check_calls(Checker& checker, Session& session, cudaStream_t stream) {
  const StitchParameters parameters{sizeof(StitchParameters), STITCH_ABI_VERSION, 0, 0, nullptr,
                                    session.prepared.data()};
  checker.is_true("prepare", session.program->prepare(session.handle, &parameters, stream) == STITCH_OK);
  checker.is_true("scratch of steps that may run at the same time lies apart",
                  session.program->workspace_bytes(session.handle, session.inputs, 1) == 2 * kAligned + 2 * 256);
  const StitchCall call = session.call(stream);
  checker.is_true("run", session.program->run(session.handle, &call) == STITCH_OK);
  cudaStreamSynchronize(stream);
  checker.close("output", session.y.values(), session.expected(), 1e-6);
  checker.is_true("streams", launched_on[0] == stream && launched_on[1] != stream && launched_on[2] == stream);
}

void check_graphs(Checker& checker, Session& session, cudaStream_t stream) {
  GraphCache graphs(session.program, session.handle);
  const StitchCall call = session.call(stream);
  for (int run = 0; run < 3; ++run) {
    checker.is_true("graph run", graphs.run(call) == STITCH_OK);
  }
  cudaStreamSynchronize(stream);
  checker.is_true("both streams are in the graph", graphs.size() == 1 && graphs.replays() == 2);
  checker.close("output of a replay", session.y.values(), session.expected(), 1e-6);
}

// A capture that leaves a stream behind is none.
void check_unjoined(Checker& checker, cudaStream_t stream) {
  cudaStream_t side = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  const DeviceFloats memory(4);
  cudaGraph_t graph = nullptr;
  for (const bool joins : {false, true}) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(side, event, 0);
    cudaMemsetAsync(memory.data(), 0, sizeof(float), side);
    cudaEventRecord(event, side);
    if (joins) {
      cudaStreamWaitEvent(stream, event, 0);
    }
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    checker.is_true("a stream that is not joined spoils a capture",
                    ended == (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
  }
  cudaGetLastError();
  cudaGraphDestroy(graph);
  cudaEventDestroy(event);
  cudaStreamDestroy(side);
}

}  // namespace

const ProgramTables stitch_program_tables = {
    .description = {sizeof(StitchDescription), STITCH_ABI_VERSION, "two_streams", 2, 0, kTensors, 0},
    .buffers = kBuffers,
    .buffer_count = 4,
    .steps = kSteps,
    .step_count = 3,
    .side_stream_count = 1};

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  Session session;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  checker.is_true("create", session.program->create(0, &session.handle) == STITCH_OK);
  check_calls(checker, session, stream);
  check_graphs(checker, session, stream);
  session.program->destroy(session.handle);
  check_unjoined(checker, stream);
  cudaStreamDestroy(stream);
  return checker.finish();
}
