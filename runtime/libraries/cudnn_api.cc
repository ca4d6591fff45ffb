// SPDX-License-Identifier: Apache-2.0
#include "libraries/cudnn_api.h"

#include "libraries/dynamic_library.h"

namespace stitch {

namespace {

bool load(CudnnApi& api) {
  const DynamicLibrary library("cudnnConvolutionForward", {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"});
  return library.load(api.create, "cudnnCreate") && library.load(api.destroy, "cudnnDestroy") &&
         library.load(api.set_stream, "cudnnSetStream") &&
         library.load(api.tensor_create, "cudnnCreateTensorDescriptor") &&
         library.load(api.tensor_destroy, "cudnnDestroyTensorDescriptor") &&
         library.load(api.tensor_set, "cudnnSetTensorNdDescriptorEx") &&
         library.load(api.filter_create, "cudnnCreateFilterDescriptor") &&
         library.load(api.filter_destroy, "cudnnDestroyFilterDescriptor") &&
         library.load(api.filter_set, "cudnnSetFilterNdDescriptor") &&
         library.load(api.convolution_create, "cudnnCreateConvolutionDescriptor") &&
         library.load(api.convolution_destroy, "cudnnDestroyConvolutionDescriptor") &&
         library.load(api.convolution_set, "cudnnSetConvolutionNdDescriptor") &&
         library.load(api.convolution_set_groups, "cudnnSetConvolutionGroupCount") &&
         library.load(api.convolution_set_math, "cudnnSetConvolutionMathType") &&
         library.load(api.advise_forward, "cudnnGetConvolutionForwardAlgorithm_v7") &&
         library.load(api.forward, "cudnnConvolutionForward") &&
         library.load(api.advise_backward_data, "cudnnGetConvolutionBackwardDataAlgorithm_v7") &&
         library.load(api.backward_data, "cudnnConvolutionBackwardData");
}

}  // namespace

const CudnnApi* cudnn_api() {
  static CudnnApi api{};
  static const bool is_here = load(api);
  return is_here ? &api : nullptr;
}

}  // namespace stitch
