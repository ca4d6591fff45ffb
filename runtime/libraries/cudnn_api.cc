// SPDX-License-Identifier: Apache-2.0
#include "libraries/cudnn_api.h"

#include "libraries/dynamic_library.h"

namespace stitch {

namespace {

DynamicLibrary cudnn_with(const char* probe) { return {probe, {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}}; }

bool load(CudnnApi& api) {
  const DynamicLibrary library = cudnn_with("cudnnConvolutionForward");
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

bool load(CudnnRnnApi& api) {
  const DynamicLibrary library = cudnn_with("cudnnRNNForward");
  return library.load(api.create, "cudnnCreate") && library.load(api.destroy, "cudnnDestroy") &&
         library.load(api.set_stream, "cudnnSetStream") &&
         library.load(api.tensor_create, "cudnnCreateTensorDescriptor") &&
         library.load(api.tensor_destroy, "cudnnDestroyTensorDescriptor") &&
         library.load(api.tensor_set, "cudnnSetTensorNdDescriptor") &&
         library.load(api.tensor_get, "cudnnGetTensorNdDescriptor") &&
         library.load(api.dropout_create, "cudnnCreateDropoutDescriptor") &&
         library.load(api.dropout_destroy, "cudnnDestroyDropoutDescriptor") &&
         library.load(api.dropout_set, "cudnnSetDropoutDescriptor") &&
         library.load(api.rnn_create, "cudnnCreateRNNDescriptor") &&
         library.load(api.rnn_destroy, "cudnnDestroyRNNDescriptor") &&
         library.load(api.rnn_set, "cudnnSetRNNDescriptor_v8") &&
         library.load(api.data_create, "cudnnCreateRNNDataDescriptor") &&
         library.load(api.data_destroy, "cudnnDestroyRNNDataDescriptor") &&
         library.load(api.data_set, "cudnnSetRNNDataDescriptor") &&
         library.load(api.weight_bytes, "cudnnGetRNNWeightSpaceSize") &&
         library.load(api.weight_place, "cudnnGetRNNWeightParams") &&
         library.load(api.work_bytes, "cudnnGetRNNTempSpaceSizes") && library.load(api.forward, "cudnnRNNForward");
}

}  // namespace

const CudnnRnnApi* cudnn_rnn_api() {
  static CudnnRnnApi api{};
  static const bool is_here = load(api);
  return is_here ? &api : nullptr;
}

const CudnnApi* cudnn_api() {
  static CudnnApi api{};
  static const bool is_here = load(api);
  return is_here ? &api : nullptr;
}

}  // namespace stitch
