// SPDX-License-Identifier: Apache-2.0
// cuDNN's recurrent layers on the CPU: two of the algorithms, which run the same loops, time first, all sequences of
// the same length. Weights lie matrix behind matrix, then the biases, with a gap before each layer: nobody may rely on
// more than what cudnnGetRNNWeightParams says. With tensor cores allowed, operands are rounded to TF32.
#include <cudnn.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "api/state.h"
#include "control/apart.h"
#include "control/launch_ledger.h"
#include "libraries/cudnn_objects.h"
#include "libraries/elements.h"

struct cudnnDropoutStruct {
  float probability = 0;
};

struct cudnnRNNStruct {
  cudnnRNNMode_t cell = CUDNN_LSTM;
  bool has_biases = false;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int features = 0;
  int units = 0;
  int layers = 0;

  int gates() const { return cell == CUDNN_LSTM ? 4 : (cell == CUDNN_GRU ? 3 : 1); }
};

struct cudnnRNNDataStruct {
  int steps = 0;
  int batch = 0;
  int vector = 0;
};

namespace stitch_emulator {
namespace {

constexpr size_t kRnnWorkspaceBytes = 8192;
constexpr int64_t kGapFloats = 16;

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Where the products of a layer are, in floats from the start of the weight space.
class WeightPlaces {
 public:
  explicit WeightPlaces(const cudnnRNNStruct& rnn) : rnn_(rnn) {}

  // Products with the input come first, gate by gate, then those with the state.
  int64_t depth(int layer, int product) const {
    return product < rnn_.gates() && layer == 0 ? rnn_.features : rnn_.units;
  }
  int64_t matrix(int layer, int product) const {
    const int64_t gates = rnn_.gates();
    const int64_t behind = std::max<int64_t>(0, product - gates);
    return start(layer) + rnn_.units * (std::min<int64_t>(product, gates) * depth(layer, 0) + behind * rnn_.units);
  }
  int64_t bias(int layer, int product) const { return matrix(layer, 2 * rnn_.gates()) + int64_t{product} * rnn_.units; }
  int64_t all() const { return start(rnn_.layers); }

 private:
  int64_t start(int layer) const {
    int64_t place = 0;
    for (int below = 0; below < layer; ++below) {
      const int64_t depths = rnn_.gates() * (depth(below, 0) + rnn_.units);
      place += kGapFloats + rnn_.units * (depths + (rnn_.has_biases ? 2 * rnn_.gates() : 0));
    }
    return place + kGapFloats;
  }

  const cudnnRNNStruct& rnn_;
};

struct RnnCall {
  cudnnRNNStruct rnn;
  cudnnRNNDataStruct shape;  // of x
  const float* x;
  float* y;
  const float* hx;
  float* hy;
  const float* cx;
  float* cy;
  const float* weights;

  int64_t states() const { return int64_t{shape.batch} * rnn.units; }

  uint64_t flops() const {
    const auto products = static_cast<uint64_t>(2 * int64_t{shape.steps} * shape.batch * rnn.gates() * rnn.units);
    const int64_t depth = rnn.features + int64_t{rnn.layers - 1} * rnn.units + int64_t{rnn.layers} * rnn.units;
    return products * static_cast<uint64_t>(depth);
  }

  float share(int layer, int product, int unit, const float* vector) const {
    const WeightPlaces places(rnn);
    const int64_t depth = places.depth(layer, product);
    const float* row = weights + places.matrix(layer, product) + unit * depth;
    float total = 0;
    for (int64_t k = 0; k < depth; ++k) {
      total += rnn.math == CUDNN_FMA_MATH ? row[k] * vector[k] : rounded_to_tf32(row[k]) * rounded_to_tf32(vector[k]);
    }
    return rnn.has_biases ? total + weights[places.bias(layer, product) + unit] : total;
  }

  float unit_after(const std::vector<float>& in, const std::vector<float>& own, float before, float& cell) const {
    switch (rnn.cell) {
      case CUDNN_RNN_RELU:
        return std::max(0.0f, in[0] + own[0]);
      case CUDNN_RNN_TANH:
        return std::tanh(in[0] + own[0]);
      case CUDNN_GRU: {
        const float kept = logistic(in[1] + own[1]);
        return (1.0f - kept) * std::tanh(in[2] + logistic(in[0] + own[0]) * own[2]) + kept * before;
      }
      case CUDNN_LSTM:
        break;
    }
    cell = logistic(in[1] + own[1]) * cell + logistic(in[0] + own[0]) * std::tanh(in[2] + own[2]);
    return logistic(in[3] + own[3]) * std::tanh(cell);
  }

  // `vectors`: what the layer reads, and then its output.
  void run_layer(int layer, std::vector<float>& vectors) const {
    const int gates = rnn.gates();
    const int64_t width = layer == 0 ? rnn.features : rnn.units;
    const int64_t first = layer * states();
    std::vector<float> hidden(static_cast<size_t>(states()), 0.0f);
    std::vector<float> cell = hidden;
    if (hx != nullptr) {
      std::copy(hx + first, hx + first + states(), hidden.begin());
    }
    if (cx != nullptr) {
      std::copy(cx + first, cx + first + states(), cell.begin());
    }
    std::vector<float> output;
    std::vector<float> in(static_cast<size_t>(gates));
    std::vector<float> own = in;
    for (int64_t row = 0; row < int64_t{shape.steps} * shape.batch; ++row) {
      float* before = hidden.data() + row % shape.batch * rnn.units;
      std::vector<float> after;
      for (int unit = 0; unit < rnn.units; ++unit) {
        for (int gate = 0; gate < gates; ++gate) {
          in[gate] = share(layer, gate, unit, vectors.data() + row * width);
          own[gate] = share(layer, gates + gate, unit, before);
        }
        after.push_back(unit_after(in, own, before[unit], cell[row % shape.batch * rnn.units + unit]));
      }
      std::copy(after.begin(), after.end(), before);
      output.insert(output.end(), after.begin(), after.end());
    }
    if (hy != nullptr) {
      std::copy(hidden.begin(), hidden.end(), hy + first);
    }
    if (cy != nullptr) {
      std::copy(cell.begin(), cell.end(), cy + first);
    }
    vectors = std::move(output);
  }

  void run() const {
    std::vector<float> vectors(x, x + int64_t{shape.steps} * shape.batch * rnn.features);
    for (int layer = 0; layer < rnn.layers; ++layer) {
      run_layer(layer, vectors);
    }
    std::copy(vectors.begin(), vectors.end(), y);
  }
};

bool is_state(cudnnTensorDescriptor_t descriptor, const RnnCall& call) {
  const std::array<int, 3> extents{call.rnn.layers, call.shape.batch, call.rnn.units};
  const std::array<int, 3> strides{call.shape.batch * call.rnn.units, call.rnn.units, 1};
  return descriptor != nullptr && descriptor->plain_extents == extents && descriptor->plain_strides == strides;
}

}  // namespace
}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* descriptor) {
  *descriptor = new cudnnDropoutStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t, float dropout, void*,
                                        size_t, unsigned long long) {
  descriptor->probability = dropout;
  return dropout == 0.0f ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor) {
  *descriptor = new cudnnRNNStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t computed_in,
                                       cudnnMathType_t math, int32_t features, int32_t units, int32_t projected,
                                       int32_t layers, cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  const bool is_here = (algorithm == CUDNN_RNN_ALGO_STANDARD || algorithm == CUDNN_RNN_ALGO_PERSIST_STATIC) &&
                       direction == CUDNN_UNIDIRECTIONAL &&
                       (bias == CUDNN_RNN_NO_BIAS || bias == CUDNN_RNN_DOUBLE_BIAS) && input == CUDNN_LINEAR_INPUT &&
                       type == CUDNN_DATA_FLOAT && computed_in == CUDNN_DATA_FLOAT && projected == units &&
                       flags == CUDNN_RNN_PADDED_IO_ENABLED;
  if (!is_here) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (features < 1 || units < 1 || layers < 1 || dropout == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *descriptor = {cell, bias == CUDNN_RNN_DOUBLE_BIAS, math, features, units, layers};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* descriptor) {
  *descriptor = new cudnnRNNDataStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch, int vector,
                                        const int lengths[], void*) {
  if (type != CUDNN_DATA_FLOAT || layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (steps < 1 || batch < 1 || vector < 1) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *descriptor = {steps, batch, vector};
  const bool is_full = std::all_of(lengths, lengths + batch, [&](int length) { return length == steps; });
  return is_full ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, size_t* bytes) {
  *bytes = static_cast<size_t>(WeightPlaces(*rnn).all()) * sizeof(float);
  return handle == nullptr ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int32_t layer, size_t bytes,
                                      const void* weights, int32_t product, cudnnTensorDescriptor_t matrix,
                                      void** matrix_at, cudnnTensorDescriptor_t bias, void** bias_at) {
  const WeightPlaces places(*rnn);
  if (handle == nullptr || layer < 0 || layer >= rnn->layers || product < 0 || product >= 2 * rnn->gates() ||
      bytes != static_cast<size_t>(places.all()) * sizeof(float)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  char* start = static_cast<char*>(const_cast<void*>(weights));
  const auto depth = static_cast<int>(places.depth(layer, product));
  matrix->plain_extents = {1, rnn->units, depth};
  matrix->plain_strides = {rnn->units * depth, depth, 1};
  *matrix_at = start + places.matrix(layer, product) * sizeof(float);
  bias->plain_extents = {1, rnn->has_biases ? rnn->units : 0, 1};
  bias->plain_strides = {rnn->units, 1, 1};
  *bias_at = rnn->has_biases ? start + places.bias(layer, product) * sizeof(float) : nullptr;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, size_t* workspace_bytes, size_t* reserved_bytes) {
  *workspace_bytes = kRnnWorkspaceBytes;
  *reserved_bytes = 0;
  return handle != nullptr && rnn != nullptr && x != nullptr && mode == CUDNN_FWD_MODE_INFERENCE
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                              const int32_t lengths[], cudnnRNNDataDescriptor_t x_descriptor, const void* x,
                              cudnnRNNDataDescriptor_t y_descriptor, void* y, cudnnTensorDescriptor_t hidden,
                              const void* hx, void* hy, cudnnTensorDescriptor_t cell, const void* cx, void* cy,
                              size_t weight_bytes, const void* weights, size_t workspace_bytes, void* workspace, size_t,
                              void*) {
  const RnnCall call{*rnn,
                     *x_descriptor,
                     static_cast<const float*>(x),
                     static_cast<float*>(y),
                     static_cast<const float*>(hx),
                     static_cast<float*>(hy),
                     static_cast<const float*>(cx),
                     static_cast<float*>(cy),
                     static_cast<const float*>(weights)};
  const bool fits = x_descriptor->vector == rnn->features && y_descriptor->vector == rnn->units &&
                    y_descriptor->steps == x_descriptor->steps && y_descriptor->batch == x_descriptor->batch &&
                    is_state(hidden, call) && (rnn->cell != CUDNN_LSTM || is_state(cell, call)) &&
                    weight_bytes == static_cast<size_t>(WeightPlaces(*rnn).all()) * sizeof(float);
  if (handle == nullptr || mode != CUDNN_FWD_MODE_INFERENCE || lengths != nullptr || x == nullptr || y == nullptr ||
      weights == nullptr || !fits || workspace == nullptr || workspace_bytes < kRnnWorkspaceBytes) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const cudaError_t done = enqueue(handle->stream, [=] {
    if (kernels_are_left_out()) {
      return cudaSuccess;
    }
    const DeviceAccess access;
    LedgerEntry entry("cudnnRNNForward", "", 0);
    entry.did_library_work(call.flops(), false);
    std::memset(workspace, 0xff, kRnnWorkspaceBytes);
    call.run();
    return cudaSuccess;
  });
  return done == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
