// SPDX-License-Identifier: Apache-2.0
// A program whose batch is an argument: y = 2 * x + scale[row], in two steps with a value between them in the
// workspace, and scratch memory that grows with the batch. What calls at other batches get, and how they are refused.
#include <cstring>

#include "host/arena.h"
#include "host/graph_cache.h"
#include "host/program_tables.h"
#include "kernels/pointwise/map.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr int64_t kColumns = 3;
constexpr int64_t kDeclared = 4;
constexpr int64_t kLeast = 1;
constexpr int64_t kGreatest = 100;
constexpr uint64_t kAlignment = 256;

uint64_t scratch_seen = 0;

struct Double {
  const float* x;
  float* doubled;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    doubled[at[0]] = 2.0f * x[at[0]];
  }
};

struct Shift {
  const float* doubled;
  const float* scale;
  float* y;
  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    y[at[0]] = doubled[at[0]] + scale[at[0] / kColumns];
  }
};

int step_00(const StepArgs* args, cudaStream_t stream) {
  scratch_seen = args->scratch_bytes;
  const Double functor{static_cast<const float*>(args->tensors[0]), static_cast<float*>(args->tensors[1])};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[0]}, false}, stream);
}

int step_01(const StepArgs* args, cudaStream_t stream) {
  const Shift functor{static_cast<const float*>(args->tensors[0]), static_cast<const float*>(args->tensors[1]),
                      static_cast<float*>(args->tensors[2])};
  return launch_map<1, 1>(functor, MapShape<1>{{args->extents[1] * args->extents[0]}, false}, stream);
}

const int64_t kDeclaredMatrix[] = {kDeclared, kColumns};
const int64_t kLeastMatrix[] = {kLeast, kColumns};
const int64_t kGreatestMatrix[] = {kGreatest, kColumns};
const uint8_t kFirst[] = {1, 0};
const StitchTensorInfo kTensors[] = {
    {"x", STITCH_INPUT, STITCH_FLOAT32, 2, 16, kDeclaredMatrix, kFirst, kLeastMatrix, kGreatestMatrix, -1, 0},
    {"scale", STITCH_INPUT, STITCH_FLOAT32, 1, 16, kDeclaredMatrix, kFirst, kLeastMatrix, kGreatestMatrix, -1, 0},
    {"0", STITCH_OUTPUT, STITCH_FLOAT32, 2, 16, kDeclaredMatrix, kFirst, kLeastMatrix, kGreatestMatrix, -1, 0}};
constexpr Size kMatrixBytes = {0, kColumns * sizeof(float)};
const BufferTable kBuffers[] = {
    {.name = "x", .kind = BufferKind::kInput, .bytes = kMatrixBytes},
    {.name = "scale", .kind = BufferKind::kInput, .index = 1, .bytes = {0, sizeof(float)}, .last_step = 1},
    {.name = "doubled", .kind = BufferKind::kArena, .bytes = kMatrixBytes, .last_step = 1},
    {.name = "y", .kind = BufferKind::kOutput, .bytes = kMatrixBytes, .first_step = 1, .last_step = 1}};
const int32_t kStep00Buffers[] = {0, 2};
const int32_t kStep01Buffers[] = {2, 1, 3};
const Size kStep00Extents[] = {{0, kColumns}};
const Size kStep01Extents[] = {{kColumns}, {0, 1}};
const StepTable kSteps[] = {{"double", step_00, StepPhase::kRun, kStep00Buffers, 2, kStep00Extents, 1, 0, {16, 8}},
                            {"shift", step_01, StepPhase::kRun, kStep01Buffers, 3, kStep01Extents, 2}};
const AxisTable kBatchAxes[] = {
    {STITCH_INPUT, 0, 0, {0, 1}}, {STITCH_INPUT, 1, 0, {0, 1}}, {STITCH_OUTPUT, 0, 0, {0, 1}}};

// A call at one batch, with everything in place.
struct Call {
  Call(const StitchProgramV1* program, StitchHandle* handle, int64_t batch_in)
      : batch(batch_in),
        x(random_floats(batch * kColumns, static_cast<uint32_t>(batch))),
        scale(random_floats(batch, 77)),
        y(batch * kColumns),
        matrix{batch, kColumns},
        inputs{{x.data(), 2, 0, matrix}, {scale.data(), 1, 0, matrix}},
        outputs{{y.data(), 2, 0, matrix}},
        workspace_bytes(program->workspace_bytes(handle, inputs, 2)),
        workspace(static_cast<int64_t>(workspace_bytes / sizeof(float)) + 1) {}

  StitchCall arguments() {
    StitchCall made{};
    made.struct_size = sizeof(made);
    made.abi_version = STITCH_ABI_VERSION;
    made.input_count = 2;
    made.output_count = 1;
    made.inputs = inputs;
    made.outputs = outputs;
    made.workspace = workspace.data();
    made.workspace_size = workspace_bytes;
    return made;
  }
  std::vector<double> expected() const {
    std::vector<double> want;
    const auto xs = x.values();
    const auto scales = scale.values();
    for (int64_t index = 0; index < batch * kColumns; ++index) {
      want.push_back(xs[index] * 2.0 + scales[index / kColumns]);
    }
    return want;
  }

  int64_t batch;
  DeviceFloats x;
  DeviceFloats scale;
  DeviceFloats y;
  int64_t matrix[2];
  StitchTensor inputs[2];
  StitchTensor outputs[1];
  uint64_t workspace_bytes;
  DeviceFloats workspace;
};

uint64_t rounded(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

void check_batches(Checker& checker, const StitchProgramV1* program, StitchHandle* handle) {
  for (const int64_t batch : {kDeclared, kLeast, int64_t{77}, kGreatest, int64_t{2}, kDeclared}) {
    Call call(program, handle, batch);
    const uint64_t want = rounded(static_cast<uint64_t>(batch) * 12) + rounded(static_cast<uint64_t>(16 + 8 * batch));
    checker.is_true("workspace follows the batch", call.workspace_bytes == want);
    const StitchCall arguments = call.arguments();
    checker.is_true("run", program->run(handle, &arguments) == STITCH_OK);
    checker.is_true("scratch follows the batch", scratch_seen == static_cast<uint64_t>(16 + 8 * batch));
    cudaDeviceSynchronize();
    checker.close("output", call.y.values(), call.expected(), 1e-6);
  }
}

void check_refusals(Checker& checker, const StitchProgramV1* program, StitchHandle* handle) {
  const auto refused = [&](const char* what, int number, const StitchCall& call, const char* word) {
    checker.is_true(what,
                    program->run(handle, &call) == number && std::strstr(program->last_error(handle), word) != nullptr);
  };
  Call five(program, handle, 5);
  Call six(program, handle, 6);
  StitchCall call = five.arguments();
  const StitchTensor mixed[] = {five.inputs[0], six.inputs[1]};
  call.inputs = mixed;
  refused("inputs that disagree", STITCH_INVALID_SHAPE, call,
          "input 1 has extent 6 on axis 0; at a batch of 5, which axis 0 of input 0 shows, it must be 5");
  checker.is_true("workspace of inputs that disagree", program->workspace_bytes(handle, mixed, 2) == UINT64_MAX);
  call = five.arguments();
  call.outputs = six.outputs;
  refused("an output of another batch", STITCH_INVALID_SHAPE, call, "output 0 has extent 6 on axis 0");
  call = six.arguments();
  const int64_t too_many[] = {kGreatest + 1, kColumns};
  const StitchTensor long_inputs[] = {{six.x.data(), 2, 0, too_many}, {six.scale.data(), 1, 0, too_many}};
  call.inputs = long_inputs;
  refused("a batch beyond the range", STITCH_INVALID_SHAPE, call, "takes 1 to 100");
  const int64_t wider[] = {6, kColumns + 1};
  const StitchTensor wide_inputs[] = {{six.x.data(), 2, 0, wider}, six.inputs[1]};
  call.inputs = wide_inputs;
  refused("another extent of a fixed axis", STITCH_INVALID_SHAPE, call,
          "extent 4 on axis 1; the program was made for 3");
  call = six.arguments();
  call.workspace_size = kAlignment;
  refused("a workspace for a smaller batch", STITCH_INVALID_ARGUMENT, call, "needs a workspace of 512 bytes");
}

void check_graphs(Checker& checker, const StitchProgramV1* program, StitchHandle* handle) {
  GraphCache graphs(program, handle);
  Call large(program, handle, 9);
  // The same memory at a smaller batch: only the extents tell the calls apart.
  StitchCall small = large.arguments();
  const int64_t fewer[] = {7, kColumns};
  const StitchTensor inputs[] = {{large.x.data(), 2, 0, fewer}, {large.scale.data(), 1, 0, fewer}};
  const StitchTensor outputs[] = {{large.y.data(), 2, 0, fewer}};
  small.inputs = inputs;
  small.outputs = outputs;
  const StitchCall whole = large.arguments();
  for (int turn = 0; turn < 2; ++turn) {
    checker.is_true("graph at batch 9", graphs.run(whole) == STITCH_OK);
    checker.is_true("graph at batch 7", graphs.run(small) == STITCH_OK);
  }
  cudaDeviceSynchronize();
  checker.is_true("a graph for each batch", graphs.size() == 2 && graphs.replays() == 2);
  checker.close("output of the graphs", large.y.values(), large.expected(), 1e-6);
}

}  // namespace

const ProgramTables stitch_program_tables = {
    {sizeof(StitchDescription), STITCH_ABI_VERSION, "batched", 3, 0, kTensors, 0},
    kBuffers,
    4,
    kSteps,
    2,
    kBatchAxes,
    3};

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const StitchProgramV1* program = stitch_program_v1();
  StitchHandle* handle = nullptr;
  checker.is_true("create", program->create(0, &handle) == STITCH_OK);
  const StitchParameters none{sizeof(StitchParameters), STITCH_ABI_VERSION, 0, 0, nullptr, nullptr};
  checker.is_true("prepare", program->prepare(handle, &none, nullptr) == STITCH_OK);
  check_batches(checker, program, handle);
  check_refusals(checker, program, handle);
  check_graphs(checker, program, handle);
  program->destroy(handle);
  return checker.finish();
}
