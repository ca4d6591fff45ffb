// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's matrices are column-major: it is asked for the transposed product, d' = b' a', whose rows are our columns.
#include "libraries/cublaslt.h"

#include <algorithm>
#include <cstring>

#include "libraries/cublaslt_api.h"
#include "libraries/library_plans.h"

namespace stitch {

namespace {

// Everything that descriptors and heuristics depend on. Compared as bytes: no padding.
struct Key {
  int64_t batch, m, n, k;
  int64_t a_stride, a_batch_stride, b_stride, b_batch_stride;
  int32_t a_k_is_contiguous, b_k_is_contiguous;
  int32_t math, operand_type, result_type, activation;
  int32_t has_bias, has_residual;
  int32_t alignment_a, alignment_b, alignment_c, alignment_d;

  bool operator==(const Key& other) const { return std::memcmp(this, &other, sizeof(Key)) == 0; }
};

struct Plan {
  Key key{};
  cublaslt::Description description = nullptr;
  cublaslt::Layout a = nullptr;
  cublaslt::Layout b = nullptr;
  cublaslt::Layout d = nullptr;
  cublaslt::HeuristicResult choice{};
  bool works = false;
};

// The largest power of two up to 256 that divides an address; 256 for no address.
int32_t alignment_of(const void* pointer) {
  constexpr uintptr_t kMost = 256;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) | kMost;
  return static_cast<int32_t>(address & (~address + 1));
}

int data_type(LibraryType type) {
  return type == LibraryType::kFloat32   ? cublaslt::kR32F
         : type == LibraryType::kFloat16 ? cublaslt::kR16F
                                         : cublaslt::kR16Bf;
}

Key key_of(const LibraryGemm& gemm) {
  return {gemm.batch,
          gemm.m,
          gemm.n,
          gemm.k,
          gemm.a.stride,
          gemm.a.batch_stride,
          gemm.b.stride,
          gemm.b.batch_stride,
          gemm.a.k_is_contiguous,
          gemm.b.k_is_contiguous,
          static_cast<int32_t>(gemm.math),
          static_cast<int32_t>(gemm.operand_type),
          static_cast<int32_t>(gemm.result_type),
          static_cast<int32_t>(gemm.activation),
          gemm.bias != nullptr,
          gemm.residual != nullptr,
          alignment_of(gemm.a.data),
          alignment_of(gemm.b.data),
          alignment_of(gemm.residual == nullptr ? gemm.d : gemm.residual),
          alignment_of(gemm.d)};
}

void destroy(const CublasLtApi& api, Plan& plan) {
  for (cublaslt::Layout layout : {plan.a, plan.b, plan.d}) {
    if (layout != nullptr) {
      api.layout_destroy(layout);
    }
  }
  if (plan.description != nullptr) {
    api.description_destroy(plan.description);
  }
}

// Of one program handle.
class CublasLt {
 public:
  explicit CublasLt(const CublasLtApi& api) : api_(api), plans_(api) {}

  cudaError_t run(const LibraryGemm& gemm, cudaStream_t stream) {
    const Plan& plan = plan_for(gemm);
    if (!plan.works) {
      return cudaErrorNotSupported;
    }
    if (gemm.bias != nullptr && !set_bias(plan.description, gemm.bias)) {
      return cudaErrorUnknown;
    }
    const float alpha = 1.0f;
    const float beta = gemm.residual == nullptr ? 0.0f : 1.0f;
    const void* c = gemm.residual == nullptr ? gemm.d : gemm.residual;
    const int status =
        api_.multiply(plans_.handle(), plan.description, &alpha, gemm.b.data, plan.a, gemm.a.data, plan.b, &beta, c,
                      plan.d, gemm.d, plan.d, &plan.choice.algorithm, gemm.workspace, kCublasLtWorkspaceBytes, stream);
    return status == cublaslt::kSuccess ? cudaSuccess : cudaErrorUnknown;
  }

 private:
  const Plan& plan_for(const LibraryGemm& gemm) {
    return plans_.find_or_make(
        key_of(gemm), [&](Plan& plan) { plan.works = plans_.is_open() && describe(gemm, plan) && choose(plan); });
  }

  bool set(cublaslt::Description description, int attribute, int32_t value) const {
    return api_.description_set(description, attribute, &value, sizeof(value)) == cublaslt::kSuccess;
  }

  bool set_bias(cublaslt::Description description, const void* bias) const {
    return api_.description_set(description, cublaslt::kBiasPointer, &bias, sizeof(bias)) == cublaslt::kSuccess;
  }

  bool make_layout(cublaslt::Layout& layout, LibraryType type, int64_t rows, int64_t columns, int64_t stride,
                   int64_t batch, int64_t batch_stride) const {
    // Of a single column no stride is known; a broadcast one is no matrix of theirs.
    const int64_t leading = columns == 1 ? std::max(stride, rows) : stride;
    if (leading < rows || api_.layout_create(&layout, data_type(type), static_cast<uint64_t>(rows),
                                             static_cast<uint64_t>(columns), leading) != cublaslt::kSuccess) {
      return false;
    }
    const auto count = static_cast<int32_t>(batch);
    return batch == 1 || (api_.layout_set(layout, cublaslt::kBatchCount, &count, sizeof(count)) == cublaslt::kSuccess &&
                          api_.layout_set(layout, cublaslt::kStridedBatchOffset, &batch_stride, sizeof(batch_stride)) ==
                              cublaslt::kSuccess);
  }

  // Their a is our b and the other way round.
  bool describe(const LibraryGemm& gemm, Plan& plan) const {
    const bool is_fast = gemm.math == LibraryMath::kTf32 && gemm.operand_type == LibraryType::kFloat32;
    if (api_.description_create(&plan.description, is_fast ? cublaslt::kCompute32FFastTf32 : cublaslt::kCompute32F,
                                cublaslt::kR32F) != cublaslt::kSuccess) {
      return false;
    }
    int32_t epilogue = gemm.activation == LibraryActivation::kRelu       ? cublaslt::kRelu
                       : gemm.activation == LibraryActivation::kGeluTanh ? cublaslt::kGelu
                                                                         : 0;
    epilogue |= gemm.bias == nullptr ? 0 : cublaslt::kBias;
    const bool transposes_a = gemm.b.k_is_contiguous;
    const bool transposes_b = !gemm.a.k_is_contiguous;
    return set(plan.description, cublaslt::kTransposeA, transposes_a ? cublaslt::kTransposed : cublaslt::kNormal) &&
           set(plan.description, cublaslt::kTransposeB, transposes_b ? cublaslt::kTransposed : cublaslt::kNormal) &&
           set(plan.description, cublaslt::kEpilogue, epilogue == 0 ? cublaslt::kNothing : epilogue) &&
           (gemm.bias == nullptr || set_bias(plan.description, gemm.bias)) &&
           make_layout(plan.a, gemm.operand_type, transposes_a ? gemm.k : gemm.n, transposes_a ? gemm.n : gemm.k,
                       gemm.b.stride, gemm.batch, gemm.b.batch_stride) &&
           make_layout(plan.b, gemm.operand_type, transposes_b ? gemm.m : gemm.k, transposes_b ? gemm.k : gemm.m,
                       gemm.a.stride, gemm.batch, gemm.a.batch_stride) &&
           make_layout(plan.d, gemm.result_type, gemm.n, gemm.m, gemm.n, gemm.batch, gemm.m * gemm.n);
  }

  bool choose(Plan& plan) const {
    cublaslt::Preference preference = nullptr;
    if (api_.preference_create(&preference) != cublaslt::kSuccess) {
      return false;
    }
    const size_t most = kCublasLtWorkspaceBytes;
    bool ok = api_.preference_set(preference, cublaslt::kMaxWorkspaceBytes, &most, sizeof(most)) == cublaslt::kSuccess;
    const int attributes[] = {cublaslt::kMinAlignmentA, cublaslt::kMinAlignmentB, cublaslt::kMinAlignmentC,
                              cublaslt::kMinAlignmentD};
    const int32_t alignments[] = {plan.key.alignment_b, plan.key.alignment_a, plan.key.alignment_c,
                                  plan.key.alignment_d};
    for (int i = 0; ok && i < 4; ++i) {
      const auto bytes = static_cast<uint32_t>(alignments[i]);
      ok = api_.preference_set(preference, attributes[i], &bytes, sizeof(bytes)) == cublaslt::kSuccess;
    }
    int found = 0;
    ok = ok &&
         api_.heuristic(plans_.handle(), plan.description, plan.a, plan.b, plan.d, plan.d, preference, 1, &plan.choice,
                        &found) == cublaslt::kSuccess &&
         found > 0 && plan.choice.state == cublaslt::kSuccess;
    api_.preference_destroy(preference);
    return ok;
  }

  const CublasLtApi& api_;
  LibraryPlans<CublasLtApi, cublaslt::Handle, Plan> plans_;
};

}  // namespace

cudaError_t cublaslt_gemm(const LibraryGemm& gemm, StepLibraries* libraries, cudaStream_t stream) {
  const CublasLtApi* api = cublaslt_api();
  const bool is_empty = gemm.batch < 1 || gemm.m < 1 || gemm.n < 1 || gemm.k < 1;
  if (api == nullptr || libraries == nullptr || is_empty) {
    return cudaErrorNotSupported;
  }
  CublasLt* library = library_in<CublasLt>(libraries->cublaslt, *api);
  return library == nullptr ? cudaErrorMemoryAllocation : library->run(gemm, stream);
}

}  // namespace stitch
