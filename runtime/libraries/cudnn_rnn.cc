// SPDX-License-Identifier: Apache-2.0
#include "libraries/cudnn_rnn.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "libraries/cudnn_api.h"
#include "libraries/library_plans.h"

namespace stitch {

namespace {

constexpr uint64_t kAlignment = 256;
constexpr int kKinds = 4;  // what a layer hands over: input's weights, weights, input's biases, biases

// A run of elements of one of a layer's tensors and where it goes.
struct Piece {
  int64_t layer;
  int kind;
  uint64_t from;  // bytes
  uint64_t to;    // bytes into the weight space
  uint64_t bytes;
};

using RnnKey = std::array<int64_t, 9>;

struct RnnPlan {
  RnnKey key{};
  cudnn::DropoutDescriptor dropout = nullptr;
  cudnn::RnnDescriptor rnn = nullptr;
  cudnn::RnnDataDescriptor x = nullptr;
  cudnn::RnnDataDescriptor y = nullptr;
  cudnn::TensorDescriptor state = nullptr;
  size_t weight_bytes = 0;
  size_t work_bytes = 0;
  std::vector<Piece> pieces;
  bool works = false;
};

RnnKey key_of(const LibraryRnn& wanted) {
  return {wanted.may_use_tf32, wanted.is_persistent, static_cast<int64_t>(wanted.cell),
          wanted.has_biases,   wanted.layers,        wanted.steps,
          wanted.batch,        wanted.units,         wanted.features};
}

int gates_of(LibraryCell cell) { return cell == LibraryCell::kLstm ? 4 : (cell == LibraryCell::kGru ? 3 : 1); }

int mode_of(LibraryCell cell) {
  switch (cell) {
    case LibraryCell::kRelu:
      return cudnn::kRnnRelu;
    case LibraryCell::kTanh:
      return cudnn::kRnnTanh;
    case LibraryCell::kLstm:
      return cudnn::kLstm;
    case LibraryCell::kGru:
      return cudnn::kGru;
  }
  return cudnn::kLstm;
}

// cuDNN counts in int.
bool is_countable(const LibraryRnn& wanted) {
  const double rows = static_cast<double>(wanted.steps) * static_cast<double>(wanted.batch);
  const double widest = static_cast<double>(std::max(wanted.features, gates_of(wanted.cell) * wanted.units));
  return wanted.layers > 0 && wanted.units > 0 && wanted.features > 0 && rows > 0 &&
         rows * widest <= std::numeric_limits<int>::max();
}

void destroy(const CudnnRnnApi& api, RnnPlan& plan) {
  for (cudnn::RnnDataDescriptor data : {plan.x, plan.y}) {
    if (data != nullptr) {
      api.data_destroy(data);
    }
  }
  if (plan.state != nullptr) {
    api.tensor_destroy(plan.state);
  }
  if (plan.rnn != nullptr) {
    api.rnn_destroy(plan.rnn);
  }
  if (plan.dropout != nullptr) {
    api.dropout_destroy(plan.dropout);
  }
}

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Of one program handle.
class CudnnRnn {
 public:
  explicit CudnnRnn(const CudnnRnnApi& api) : api_(api), plans_(api) {}

  cudaError_t run(const LibraryRnn& wanted, cudaStream_t stream) {
    RnnPlan& plan = plans_.find_or_make(key_of(wanted), [&](RnnPlan& made) {
      made.works = plans_.is_open() && describe(wanted, made) && place_weights(wanted, made);
    });
    const uint64_t weight_bytes = aligned(plan.weight_bytes);
    if (!plan.works || weight_bytes + plan.work_bytes > wanted.workspace_bytes) {
      return cudaErrorNotSupported;
    }
    if (api_.set_stream(plans_.handle(), stream) != cudnn::kSuccess) {
      return cudaErrorUnknown;
    }
    if (const cudaError_t error = hand_over(wanted, plan, stream); error != cudaSuccess) {
      return error;
    }
    const bool has_cell = wanted.cell == LibraryCell::kLstm;
    const int status =
        api_.forward(plans_.handle(), plan.rnn, cudnn::kInference, nullptr, plan.x, wanted.x, plan.y, wanted.y,
                     plan.state, wanted.hidden, wanted.last_hidden, plan.state, has_cell ? wanted.cell_state : nullptr,
                     has_cell ? wanted.last_cell_state : nullptr, plan.weight_bytes, wanted.workspace, plan.work_bytes,
                     static_cast<char*>(wanted.workspace) + weight_bytes, 0, nullptr);
    plan.works = status == cudnn::kSuccess;
    return plan.works ? cudaSuccess : cudaErrorNotSupported;
  }

 private:
  bool make(RnnPlan& plan) const {
    return api_.dropout_create(&plan.dropout) == cudnn::kSuccess && api_.rnn_create(&plan.rnn) == cudnn::kSuccess &&
           api_.data_create(&plan.x) == cudnn::kSuccess && api_.data_create(&plan.y) == cudnn::kSuccess &&
           api_.tensor_create(&plan.state) == cudnn::kSuccess;
  }

  bool describe(const LibraryRnn& wanted, RnnPlan& plan) const {
    const auto units = static_cast<int>(wanted.units);
    const auto batch = static_cast<int>(wanted.batch);
    const auto steps = static_cast<int>(wanted.steps);
    const auto features = static_cast<int>(wanted.features);
    const std::vector<int> lengths(static_cast<size_t>(batch), steps);
    const int extents[3] = {static_cast<int>(wanted.layers), batch, units};
    const int strides[3] = {batch * units, units, 1};
    size_t reserved = 0;
    float padding = 0.0f;
    const auto set_data = [&](cudnn::RnnDataDescriptor data, int width) {
      return api_.data_set(data, cudnn::kDataFloat, cudnn::kTimeFirst, steps, batch, width, lengths.data(), &padding) ==
             cudnn::kSuccess;
    };
    return make(plan) && api_.dropout_set(plan.dropout, plans_.handle(), 0.0f, nullptr, 0, 0) == cudnn::kSuccess &&
           api_.rnn_set(plan.rnn, wanted.is_persistent ? cudnn::kPersistentRnn : cudnn::kStandardRnn,
                        mode_of(wanted.cell), wanted.has_biases ? cudnn::kTwoBiases : cudnn::kNoBias,
                        cudnn::kUnidirectional, cudnn::kLinearInput, cudnn::kDataFloat, cudnn::kDataFloat,
                        wanted.may_use_tf32 ? cudnn::kDefaultMath : cudnn::kFmaMath, features, units, units,
                        static_cast<int>(wanted.layers), plan.dropout, cudnn::kPaddedInputs) == cudnn::kSuccess &&
           set_data(plan.x, features) && set_data(plan.y, units) &&
           api_.tensor_set(plan.state, cudnn::kDataFloat, 3, extents, strides) == cudnn::kSuccess &&
           api_.weight_bytes(plans_.handle(), plan.rnn, &plan.weight_bytes) == cudnn::kSuccess &&
           api_.work_bytes(plans_.handle(), plan.rnn, cudnn::kInference, plan.x, &plan.work_bytes, &reserved) ==
               cudnn::kSuccess;
  }

  // Of a layer's products those with its input come first, gate by gate, then those with its state.
  bool place_weights(const LibraryRnn& wanted, RnnPlan& plan) const {
    cudnn::TensorDescriptor matrix = nullptr;
    cudnn::TensorDescriptor bias = nullptr;
    bool is_placed = api_.tensor_create(&matrix) == cudnn::kSuccess && api_.tensor_create(&bias) == cudnn::kSuccess;
    const int gates = gates_of(wanted.cell);
    for (int64_t layer = 0; is_placed && layer < wanted.layers; ++layer) {
      for (int product = 0; is_placed && product < 2 * gates; ++product) {
        void* matrix_at = nullptr;
        void* bias_at = nullptr;
        const bool is_of_input = product < gates;
        const int64_t depth = is_of_input && layer == 0 ? wanted.features : wanted.units;
        is_placed =
            api_.weight_place(plans_.handle(), plan.rnn, static_cast<int>(layer), plan.weight_bytes, wanted.workspace,
                              product, matrix, &matrix_at, bias, &bias_at) == cudnn::kSuccess &&
            add(wanted, plan, {layer, is_of_input ? 0 : 1, product % gates}, matrix, matrix_at, depth * wanted.units) &&
            (!wanted.has_biases ||
             add(wanted, plan, {layer, is_of_input ? 2 : 3, product % gates}, bias, bias_at, wanted.units));
      }
    }
    for (cudnn::TensorDescriptor tensor : {matrix, bias}) {
      if (tensor != nullptr) {
        api_.tensor_destroy(tensor);
      }
    }
    return is_placed;
  }

  struct Source {
    int64_t layer;
    int kind;
    int gate;
  };

  // False where cuDNN keeps something else there than we hand over.
  bool add(const LibraryRnn& wanted, RnnPlan& plan, const Source& source, cudnn::TensorDescriptor descriptor,
           const void* at, int64_t elements) const {
    constexpr int kMost = 3;
    int type = 0;
    int dimensions = 0;
    int extents[kMost] = {};
    int strides[kMost] = {};
    if (api_.tensor_get(descriptor, kMost, &type, &dimensions, extents, strides) != cudnn::kSuccess ||
        dimensions != kMost || int64_t{extents[0]} * extents[1] * extents[2] != elements || at == nullptr) {
      return false;
    }
    const uint64_t bytes = static_cast<uint64_t>(elements) * sizeof(float);
    const Piece piece{source.layer, source.kind, static_cast<uint64_t>(source.gate) * bytes,
                      static_cast<uint64_t>(static_cast<const char*>(at) - static_cast<char*>(wanted.workspace)),
                      bytes};
    if (piece.to + piece.bytes > plan.weight_bytes) {
      return false;
    }
    // Gates that follow each other on both sides go together.
    const auto before = std::find_if(plan.pieces.begin(), plan.pieces.end(), [&](const Piece& other) {
      return other.layer == piece.layer && other.kind == piece.kind && other.from + other.bytes == piece.from &&
             other.to + other.bytes == piece.to;
    });
    if (before != plan.pieces.end()) {
      before->bytes += piece.bytes;
    } else {
      plan.pieces.push_back(piece);
    }
    return true;
  }

  static cudaError_t hand_over(const LibraryRnn& wanted, const RnnPlan& plan, cudaStream_t stream) {
    for (const Piece& piece : plan.pieces) {
      const LibraryRnnLayer& layer = wanted.weights[piece.layer];
      const void* kinds[kKinds] = {layer.input_weight, layer.weight, layer.input_bias, layer.bias};
      const cudaError_t error = cudaMemcpyAsync(static_cast<char*>(wanted.workspace) + piece.to,
                                                static_cast<const char*>(kinds[piece.kind]) + piece.from, piece.bytes,
                                                cudaMemcpyDeviceToDevice, stream);
      if (error != cudaSuccess) {
        return error;
      }
    }
    return cudaSuccess;
  }

  const CudnnRnnApi& api_;
  LibraryPlans<CudnnRnnApi, cudnn::Handle, RnnPlan> plans_;
};

}  // namespace

cudaError_t cudnn_recurrent(const LibraryRnn& layers, StepLibraries* libraries, cudaStream_t stream) {
  const CudnnRnnApi* api = libraries == nullptr || !is_countable(layers) ? nullptr : cudnn_rnn_api();
  CudnnRnn* cudnn = api == nullptr ? nullptr : library_in<CudnnRnn>(libraries->cudnn_rnn, *api);
  return cudnn == nullptr ? cudaErrorNotSupported : cudnn->run(layers, stream);
}

}  // namespace stitch
