// SPDX-License-Identifier: Apache-2.0
// kernels/gemm/library.cuh for operands of 16 bits.
#pragma once

#include "kernels/common/half.cuh"
#include "kernels/gemm/library.cuh"

namespace stitch {

template <>
inline constexpr LibraryType kLibraryType<__half> = LibraryType::kFloat16;
template <>
inline constexpr LibraryType kLibraryType<__nv_bfloat16> = LibraryType::kBfloat16;

}  // namespace stitch
