// SPDX-License-Identifier: Apache-2.0
#include "libraries/cublaslt_api.h"

#include "libraries/dynamic_library.h"

namespace stitch {

namespace {

bool load(CublasLtApi& api) {
  const DynamicLibrary library("cublasLtMatmul", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
  return library.load(api.create, "cublasLtCreate") && library.load(api.destroy, "cublasLtDestroy") &&
         library.load(api.layout_create, "cublasLtMatrixLayoutCreate") &&
         library.load(api.layout_destroy, "cublasLtMatrixLayoutDestroy") &&
         library.load(api.layout_set, "cublasLtMatrixLayoutSetAttribute") &&
         library.load(api.description_create, "cublasLtMatmulDescCreate") &&
         library.load(api.description_destroy, "cublasLtMatmulDescDestroy") &&
         library.load(api.description_set, "cublasLtMatmulDescSetAttribute") &&
         library.load(api.preference_create, "cublasLtMatmulPreferenceCreate") &&
         library.load(api.preference_destroy, "cublasLtMatmulPreferenceDestroy") &&
         library.load(api.preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
         library.load(api.heuristic, "cublasLtMatmulAlgoGetHeuristic") && library.load(api.multiply, "cublasLtMatmul");
}

}  // namespace

const CublasLtApi* cublaslt_api() {
  static CublasLtApi api{};
  static const bool is_here = load(api);
  return is_here ? &api : nullptr;
}

}  // namespace stitch
