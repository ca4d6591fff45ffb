// SPDX-License-Identifier: Apache-2.0
// The pipe that what a candidate must not do is written to. The supervisor holds its other end: what was written cannot
// be taken back.
#pragma once

// False where `pipe` is none.
bool open_ledger(int pipe);
// A line, with the candidate's line that is running. Who closes the pipe, or puts another file in its place, ends here.
void write_to_ledger(const char* kind, const char* name);
