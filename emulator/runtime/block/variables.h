// SPDX-License-Identifier: Apache-2.0
// The built-in variables under names of their own: the toolkit's headers declare them constant, which holds for every
// thread of a program but not for the scheduler.
#pragma once

#include <vector_types.h>

extern uint3 current_thread_index asm("threadIdx");
extern uint3 current_block_index asm("blockIdx");
extern dim3 current_block_shape asm("blockDim");
extern dim3 current_grid_shape asm("gridDim");
