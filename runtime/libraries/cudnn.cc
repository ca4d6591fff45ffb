// SPDX-License-Identifier: Apache-2.0
#include "libraries/cudnn.h"

#include <algorithm>
#include <array>
#include <limits>

#include "libraries/cudnn_api.h"
#include "libraries/library_plans.h"

namespace stitch {

namespace {

using Key = std::array<int64_t, 18>;

struct Plan {
  Key key{};
  cudnn::TensorDescriptor x = nullptr;
  cudnn::TensorDescriptor y = nullptr;
  cudnn::FilterDescriptor filter = nullptr;
  cudnn::ConvolutionDescriptor convolution = nullptr;
  cudnn::AlgorithmPerformance choice{};
  bool works = false;
};

Key key_of(const LibraryConv& c) {
  return {c.may_use_tf32, c.is_channels_last, c.batch,      c.in_channels, c.height,      c.width,
          c.out_channels, c.out_height,       c.out_width,  c.groups,      c.kernel[0],   c.kernel[1],
          c.stride[0],    c.stride[1],        c.padding[0], c.padding[1],  c.dilation[0], c.dilation[1]};
}

// cuDNN counts in int.
bool is_countable(const Key& key) {
  return std::all_of(key.begin(), key.end(), [](int64_t number) { return number <= std::numeric_limits<int>::max(); });
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

  const Plan& plan_for(const LibraryConv& wanted) {
    return plans_.find_or_make(key_of(wanted), [&](Plan& plan) {
      plan.works = plans_.is_open() && is_countable(plan.key) && describe(wanted, plan) && choose(wanted, plan);
    });
  }

  cudaError_t run(const LibraryConv& wanted, cudaStream_t stream) {
    const Plan& plan = plan_for(wanted);
    if (!plan.works) {
      return cudaErrorNotSupported;
    }
    const float alpha = 1.0f;
    const float beta = 0.0f;
    const bool ok = api_.set_stream(plans_.handle(), stream) == cudnn::kSuccess &&
                    api_.forward(plans_.handle(), &alpha, plan.x, wanted.x, plan.filter, wanted.weight,
                                 plan.convolution, plan.choice.algorithm, wanted.workspace, kCudnnWorkspaceBytes, &beta,
                                 plan.y, wanted.y) == cudnn::kSuccess;
    return ok ? cudaSuccess : cudaErrorUnknown;
  }

 private:
  bool describe(const LibraryConv& wanted, Plan& plan) const {
    const int format = wanted.is_channels_last ? cudnn::kNhwc : cudnn::kNchw;
    const auto number = [](int64_t value) { return static_cast<int>(value); };
    return api_.tensor_create(&plan.x) == cudnn::kSuccess && api_.tensor_create(&plan.y) == cudnn::kSuccess &&
           api_.filter_create(&plan.filter) == cudnn::kSuccess &&
           api_.convolution_create(&plan.convolution) == cudnn::kSuccess &&
           api_.tensor_set(plan.x, format, cudnn::kDataFloat, number(wanted.batch), number(wanted.in_channels),
                           number(wanted.height), number(wanted.width)) == cudnn::kSuccess &&
           api_.tensor_set(plan.y, format, cudnn::kDataFloat, number(wanted.batch), number(wanted.out_channels),
                           number(wanted.out_height), number(wanted.out_width)) == cudnn::kSuccess &&
           api_.filter_set(plan.filter, cudnn::kDataFloat, format, number(wanted.out_channels),
                           number(wanted.in_channels / wanted.groups), wanted.kernel[0],
                           wanted.kernel[1]) == cudnn::kSuccess &&
           api_.convolution_set(plan.convolution, wanted.padding[0], wanted.padding[1], wanted.stride[0],
                                wanted.stride[1], wanted.dilation[0], wanted.dilation[1], cudnn::kCrossCorrelation,
                                cudnn::kDataFloat) == cudnn::kSuccess &&
           api_.convolution_set_groups(plan.convolution, number(wanted.groups)) == cudnn::kSuccess &&
           api_.convolution_set_math(plan.convolution, wanted.may_use_tf32 ? cudnn::kDefaultMath : cudnn::kFmaMath) ==
               cudnn::kSuccess;
  }

  // The first piece of advice that fits the workspace and the math mode.
  bool choose(const LibraryConv& wanted, Plan& plan) const {
    constexpr int kMost = 8;
    cudnn::AlgorithmPerformance advice[kMost];
    int found = 0;
    if (api_.heuristic(plans_.handle(), plan.x, plan.filter, plan.convolution, plan.y, kMost, &found, advice) !=
        cudnn::kSuccess) {
      return false;
    }
    const auto* chosen = std::find_if(advice, advice + found, [&](const cudnn::AlgorithmPerformance& one) {
      const bool is_allowed =
          wanted.may_use_tf32 || one.math_type == cudnn::kFmaMath || one.math_type == cudnn::kDefaultMath;
      return one.status == cudnn::kSuccess && one.workspace_bytes <= kCudnnWorkspaceBytes && is_allowed;
    });
    if (chosen == advice + found) {
      return false;
    }
    plan.choice = *chosen;
    const int math_type = wanted.may_use_tf32 ? chosen->math_type : cudnn::kFmaMath;
    return api_.convolution_set_math(plan.convolution, math_type) == cudnn::kSuccess;
  }

  const CudnnApi& api_;
  LibraryPlans<CudnnApi, cudnn::Handle, Plan> plans_;
};

// The handle's, made at first use; null when there is none to be had.
Cudnn* cudnn_of(const LibraryConv& wanted, StepLibraries* libraries) {
  const bool is_empty = std::min({wanted.batch, wanted.in_channels, wanted.out_channels, wanted.height, wanted.width,
                                  wanted.out_height, wanted.out_width}) < 1;
  const CudnnApi* api = libraries == nullptr || is_empty ? nullptr : cudnn_api();
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
