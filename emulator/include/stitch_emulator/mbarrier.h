// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory that count arrivals and bytes, and bulk copies that report to them. In order, a copy is
// carried out only when somebody waits for its barrier, so that a program that forgets to wait reads what was there
// before. In a random order some are carried out when they start, so that a program that starts one too early
// overwrites what is still being read.
#pragma once

#include "stitch_emulator/language.h"

extern "C" {
void stitch_mbarrier_init(void* barrier, int arrivals, const char* file, int line);
// One arrival; the phase waits for that many more bytes as well.
void stitch_mbarrier_arrive(void* barrier, uint32_t bytes, const char* file, int line);
// Until the phase of this parity has ended.
void stitch_mbarrier_wait(void* barrier, uint32_t parity, const char* file, int line);
void stitch_bulk_copy(void* shared, const void* global, uint32_t bytes, void* barrier, const char* file, int line);
}
