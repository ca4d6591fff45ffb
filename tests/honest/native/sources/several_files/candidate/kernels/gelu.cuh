// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

int launch_gelu(const float* x, float* y, int64_t count, cudaStream_t stream);
