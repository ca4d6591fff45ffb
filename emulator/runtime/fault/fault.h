// SPDX-License-Identifier: Apache-2.0
// Device faults: one sentence with its place, kept for stitch_emulator_last_fault and printed on standard error.
#pragma once

#include <stddef.h>

namespace stitch_emulator {

// Ends the running kernel; later runtime calls return an error until the process ends. file may be null.
[[noreturn]] void fault(const char* message, const char* file, int line);
// The same without ending what runs: from the host's fiber, whose caller does.
void report_fault(const char* message, const char* file, int line);
// A device function was called where no kernel runs: prints and ends the process with kFaultExitCode.
[[noreturn]] void host_fault(const char* message, const char* file, int line);
// Keeps the sentence without printing it: a launch that was refused.
void record_fault(const char* message, const char* file, int line);

// Ends the process after a fault from which nothing can go on.
[[noreturn]] void end_process();
constexpr int kFaultExitCode = 97;

const char* last_fault();
void clear_fault();
bool kernel_faulted();
// Of a kernel that nobody asked to run: later calls go on.
void forgive_fault();

// "thread 3 of 64 waits in __syncthreads for …": the running thread's wait, when nothing can run.
void describe_waiting(char* message, size_t bytes);
// "kernel K, block (0,0,0), thread (3,0,0), launched at f.cu:12", or "" outside a kernel.
void describe_where(char* text, size_t bytes);

// What the running launch is called; null name: no kernel runs.
struct RunningLaunch {
  const char* name;
  const char* file;
  int line;
};
extern RunningLaunch running_launch;

// Turns SIGSEGV and its kin inside a kernel into a sentence. Idempotent.
void install_signal_handlers();
// Looks once a CPU second whether one thread has run too long without waiting. Idempotent.
void install_watchdog();

}  // namespace stitch_emulator
