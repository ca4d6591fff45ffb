// SPDX-License-Identifier: Apache-2.0
// The part of cub that kernels use: reductions and scans of blocks and warps. Device-wide algorithms are not here.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
