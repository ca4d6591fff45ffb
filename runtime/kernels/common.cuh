// SPDX-License-Identifier: Apache-2.0
// What every kernel skeleton and every generated functor may use. 16-bit storage: also kernels/common/half.cuh.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/common/convert.cuh"
#include "kernels/common/index.cuh"
#include "kernels/common/integer_math.cuh"
#include "kernels/common/lanes.cuh"
#include "kernels/common/math.cuh"
#include "kernels/common/row.cuh"
#include "kernels/common/shared_memory.cuh"
#include "kernels/common/special_math.cuh"
#include "kernels/common/warp.cuh"
