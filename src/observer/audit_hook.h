// SPDX-License-Identifier: Apache-2.0
// Python's audit events judged below Python: what decides is no object that a candidate could find and change, and it
// holds for every interpreter of the process.
#pragma once

// From now on. `computing` and `compiling` name modules, `looked_up` functions, one a line. 0 where this Python has no
// audit hooks, and the second time. To be called with the interpreter's lock.
extern "C" int stitch_observer_audit(const char* computing, const char* compiling, const char* looked_up);
