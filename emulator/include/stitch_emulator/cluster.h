// SPDX-License-Identifier: Apache-2.0
// Blocks of a cluster: each runs until it waits for another, on its own shared memory. A store that an mbarrier counts
// lands when the other block waits for that, or in a random order now and then at once.
#pragma once

#include "stitch_emulator/language.h"

extern "C" {
uint32_t stitch_cluster_rank(void);
uint32_t stitch_cluster_blocks(void);
// A number for the place that `shared` is in the block of that rank. Sums of it and bytes lead on in the same block.
uint32_t stitch_cluster_address(const void* shared, uint32_t rank, const char* file, int line);
void stitch_cluster_store(uint32_t address, const void* bytes, uint32_t count, const char* file, int line);
void stitch_cluster_load(uint32_t address, void* bytes, uint32_t count, const char* file, int line);
void stitch_cluster_store_async(uint32_t address, const void* bytes, uint32_t count, uint32_t barrier, const char* file,
                                int line);
void stitch_cluster_arrive(const char* file, int line);
void stitch_cluster_wait(const char* file, int line);
}
