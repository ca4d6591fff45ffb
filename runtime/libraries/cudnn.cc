// SPDX-License-Identifier: Apache-2.0
#include "libraries/cudnn.h"

#include <algorithm>
#include <array>
#include <limits>

#include "libraries/cudnn_api.h"
#include "libraries/library_plans.h"

namespace stitch {

namespace {

using Key = std::array<int64_t, 28>;

struct Plan {
  Key key{};
  cudnn::TensorDescriptor x = nullptr;
  cudnn::TensorDescriptor y = nullptr;
  cudnn::FilterDescriptor filter = nullptr;
  cudnn::ConvolutionDescriptor convolution = nullptr;
  cudnn::AlgorithmPerformance choice{};
  bool works = false;
};

// The key ends with the axes' numbers.
Key key_of(const LibraryConv& c) {
  Key key = {
      c.may_use_tf32, c.is_channels_last, c.is_transposed, c.rank,  c.advice, static_cast<int64_t>(c.workspace_bytes),
      c.batch,        c.in_channels,      c.out_channels,  c.groups};
  int64_t* next = &key[10];
  for (int axis = 0; axis < 3; ++axis) {
    for (const int64_t number :
         {c.axes.in[axis], c.axes.out[axis], int64_t{c.axes.kernel[axis]}, int64_t{c.axes.stride[axis]},
          int64_t{c.axes.padding[axis]}, int64_t{c.axes.dilation[axis]}}) {
      *next++ = number;
    }
  }
  return key;
}

// cuDNN counts the elements of a tensor in int.
bool is_countable(int64_t outer, int64_t channels, const int64_t (&extents)[3]) {
  double elements = static_cast<double>(outer) * static_cast<double>(channels);
  bool is_empty = outer < 1 || channels < 1;
  for (const int64_t extent : extents) {
    elements *= static_cast<double>(extent);
    is_empty = is_empty || extent < 1;
  }
  return !is_empty && elements <= std::numeric_limits<int>::max();
}

bool is_countable(const LibraryConv& c) {
  const int64_t kernel[3] = {c.axes.kernel[0], c.axes.kernel[1], c.axes.kernel[2]};
  return is_countable(c.batch, c.in_channels, c.axes.in) && is_countable(c.batch, c.out_channels, c.axes.out) &&
         is_countable(c.in_channels, c.out_channels, kernel);
}

void destroy(const CudnnApi& api, Plan& plan) {
  for (cudnn::TensorDescriptor tensor : {plan.x, plan.y}) {
    if (tensor != nullptr) {
      api.tensor_destroy(tensor);
    }
  }
  if (plan.filter != nullptr) {
    api.filter_destroy(plan.filter);
  }
  if (plan.convolution != nullptr) {
    api.convolution_destroy(plan.convolution);
  }
}

// Of one program handle.
class Cudnn {
 public:
  explicit Cudnn(const CudnnApi& api) : api_(api), plans_(api) {}

  Plan& plan_for(const LibraryConv& wanted) {
    return plans_.find_or_make(key_of(wanted), [&](Plan& plan) {
      plan.works = plans_.is_open() && describe(wanted, plan) && choose(wanted, plan);
    });
  }

  cudaError_t run(const LibraryConv& wanted, cudaStream_t stream) {
    Plan& plan = plan_for(wanted);
    if (!plan.works) {
      return cudaErrorNotSupported;
    }
    const float alpha = 1.0f;
    const float beta = 0.0f;
    if (api_.set_stream(plans_.handle(), stream) != cudnn::kSuccess) {
      return cudaErrorUnknown;
    }
    const int status =
        wanted.is_transposed
            ? api_.backward_data(plans_.handle(), &alpha, plan.filter, wanted.weight, plan.x, wanted.x,
                                 plan.convolution, plan.choice.algorithm, wanted.workspace, wanted.workspace_bytes,
                                 &beta, plan.y, wanted.y)
            : api_.forward(plans_.handle(), &alpha, plan.x, wanted.x, plan.filter, wanted.weight, plan.convolution,
                           plan.choice.algorithm, wanted.workspace, wanted.workspace_bytes, &beta, plan.y, wanted.y);
    // An algorithm may be advised and refuse the call all the same: then it is given up.
    plan.works = status == cudnn::kSuccess;
    return plan.works ? cudaSuccess : cudaErrorNotSupported;
  }

 private:
  // Two numbers and one for each axis, as Nd descriptors take them.
  struct Extents {
    int numbers[5];
    int count;
  };

  template <typename Number>
  static Extents extents(int rank, int64_t outer, int64_t channels, const Number (&along)[3]) {
    Extents result{{static_cast<int>(outer), static_cast<int>(channels)}, 2 + rank};
    for (int i = 0; i < rank; ++i) {
      result.numbers[2 + i] = static_cast<int>(along[3 - rank + i]);
    }
    return result;
  }

  bool make(Plan& plan) const {
    return api_.tensor_create(&plan.x) == cudnn::kSuccess && api_.tensor_create(&plan.y) == cudnn::kSuccess &&
           api_.filter_create(&plan.filter) == cudnn::kSuccess &&
           api_.convolution_create(&plan.convolution) == cudnn::kSuccess;
  }

  bool describe(const LibraryConv& wanted, Plan& plan) const {
    const int format = wanted.is_channels_last ? cudnn::kNhwc : cudnn::kNchw;
    const LibraryConvAxes& axes = wanted.axes;
    const int skipped = 3 - wanted.rank;
    const Extents x = extents(wanted.rank, wanted.batch, wanted.in_channels, axes.in);
    const Extents y = extents(wanted.rank, wanted.batch, wanted.out_channels, axes.out);
    // A transposed convolution is the way back from the outputs of a convolution, which are its inputs.
    const int64_t from = wanted.is_transposed ? wanted.out_channels : wanted.in_channels;
    const int64_t to = wanted.is_transposed ? wanted.in_channels : wanted.out_channels;
    const Extents filter = extents(wanted.rank, to, from / wanted.groups, axes.kernel);
    return make(plan) && api_.tensor_set(plan.x, format, cudnn::kDataFloat, x.count, x.numbers) == cudnn::kSuccess &&
           api_.tensor_set(plan.y, format, cudnn::kDataFloat, y.count, y.numbers) == cudnn::kSuccess &&
           api_.filter_set(plan.filter, cudnn::kDataFloat, format, filter.count, filter.numbers) == cudnn::kSuccess &&
           api_.convolution_set(plan.convolution, wanted.rank, axes.padding + skipped, axes.stride + skipped,
                                axes.dilation + skipped, cudnn::kCrossCorrelation,
                                cudnn::kDataFloat) == cudnn::kSuccess &&
           api_.convolution_set_groups(plan.convolution, static_cast<int>(wanted.groups)) == cudnn::kSuccess &&
           api_.convolution_set_math(plan.convolution, wanted.may_use_tf32 ? cudnn::kDefaultMath : cudnn::kFmaMath) ==
               cudnn::kSuccess;
  }

  // Fits the workspace and the math mode (conversion would be to 16 bits), and gives the same sums at every call: the
  // first algorithm back to the data adds in the order in which its threads come.
  static bool is_allowed(const cudnn::AlgorithmPerformance& one, const LibraryConv& wanted) {
    const bool is_allowed_math = one.math_type == cudnn::kFmaMath || one.math_type == cudnn::kDefaultMath ||
                                 (wanted.may_use_tf32 && one.math_type != cudnn::kTensorOpMathAllowConversion);
    return one.status == cudnn::kSuccess && one.workspace_bytes <= wanted.workspace_bytes && is_allowed_math &&
           !(wanted.is_transposed && one.algorithm == cudnn::kBackwardDataByAtomics);
  }

  // The piece of advice that was asked for, counting each algorithm once and only what is allowed.
  bool choose(const LibraryConv& wanted, Plan& plan) const {
    constexpr int kMost = 16;
    cudnn::AlgorithmPerformance advice[kMost];
    int found = 0;
    const int status = wanted.is_transposed ? api_.advise_backward_data(plans_.handle(), plan.filter, plan.x,
                                                                        plan.convolution, plan.y, kMost, &found, advice)
                                            : api_.advise_forward(plans_.handle(), plan.x, plan.filter,
                                                                  plan.convolution, plan.y, kMost, &found, advice);
    int64_t left = wanted.advice;
    for (int i = 0; status == cudnn::kSuccess && i < found && left > 0; ++i) {
      const bool is_repeated = std::any_of(advice, advice + i, [&](const cudnn::AlgorithmPerformance& earlier) {
        return earlier.algorithm == advice[i].algorithm && is_allowed(earlier, wanted);
      });
      if (is_allowed(advice[i], wanted) && !is_repeated) {
        plan.choice = advice[i];
        --left;
      }
    }
    const int math_type = wanted.may_use_tf32 ? plan.choice.math_type : cudnn::kFmaMath;
    return left == 0 && api_.convolution_set_math(plan.convolution, math_type) == cudnn::kSuccess;
  }

  const CudnnApi& api_;
  LibraryPlans<CudnnApi, cudnn::Handle, Plan> plans_;
};

// The handle's, made at first use; null when there is none to be had.
Cudnn* cudnn_of(const LibraryConv& wanted, StepLibraries* libraries) {
  const CudnnApi* api = libraries == nullptr || !is_countable(wanted) ? nullptr : cudnn_api();
  return api == nullptr ? nullptr : library_in<Cudnn>(libraries->cudnn, *api);
}

}  // namespace

cudaError_t cudnn_convolution(const LibraryConv& convolution, StepLibraries* libraries, cudaStream_t stream) {
  Cudnn* cudnn = cudnn_of(convolution, libraries);
  return cudnn == nullptr ? cudaErrorNotSupported : cudnn->run(convolution, stream);
}

cudaError_t cudnn_plan(const LibraryConv& convolution, StepLibraries* libraries) {
  Cudnn* cudnn = cudnn_of(convolution, libraries);
  return cudnn != nullptr && cudnn->plan_for(convolution).works ? cudaSuccess : cudaErrorNotSupported;
}

}  // namespace stitch
