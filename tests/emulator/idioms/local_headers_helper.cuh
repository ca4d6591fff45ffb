// SPDX-License-Identifier: Apache-2.0
#ifndef LOCAL_HEADERS_HELPER_CUH
#define LOCAL_HEADERS_HELPER_CUH

namespace local {
__host__ __device__ inline float twice(float x) { return 2 * x; }
}  // namespace local

#endif  // LOCAL_HEADERS_HELPER_CUH
