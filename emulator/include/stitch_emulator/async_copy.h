// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies into shared memory (cp.async and what is built on it). In order, a copy is carried out only when
// its thread waits for it, so that a program that forgets to wait reads what was there before. In a random order some
// are carried out when they start, so that a program that starts one too early overwrites what is still being read.
#pragma once

#include "stitch_emulator/language.h"

extern "C" {
// Copies valid_bytes and fills up to `bytes` with zeros; joins the thread's open group.
void stitch_async_copy(void* shared, const void* global, int bytes, int valid_bytes, const char* file, int line);
void stitch_async_commit(void);
// Carries out all but the youngest `pending` committed groups of this thread; pending < 0: uncommitted ones as well.
void stitch_async_wait(int pending);
}
