// SPDX-License-Identifier: Apache-2.0
#include "block/variables.h"

uint3 current_thread_index asm("threadIdx");
uint3 current_block_index asm("blockIdx");
dim3 current_block_shape asm("blockDim");
dim3 current_grid_shape asm("gridDim");

extern "C" {
extern const int warpSize;
const int warpSize = 32;
unsigned int stitch_thread_in_block = 0;
}
