// SPDX-License-Identifier: Apache-2.0
// What multiplies: the ordinary pipes, or tensor cores under one of the policies of runtime/kernels/gemm/mma.cuh.
#pragma once

namespace stitch::kernels {

enum class TensorMath {
  kNone,        // ordinary pipes
  kTf32,        // operands rounded to TF32
  kTf32x3,      // three products of TF32 parts, which give fp32
  kBf16,        // operands rounded to bfloat16
  kSixteenBit,  // operands that are stored in 16 bits, as they are
};

// The policy's type in namespace stitch, "Tf32x3"; of kNone and kSixteenBit "", since their skeletons take no policy.
constexpr const char* policy_type(TensorMath math) {
  switch (math) {
    case TensorMath::kTf32:
      return "Tf32";
    case TensorMath::kTf32x3:
      return "Tf32x3";
    case TensorMath::kBf16:
      return "Bf16";
    case TensorMath::kNone:
    case TensorMath::kSixteenBit:
      return "";
  }
  return "";
}

}  // namespace stitch::kernels
