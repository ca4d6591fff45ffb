// SPDX-License-Identifier: Apache-2.0
// The emulated device's functions that a worker in Python needs, for ctypes. Their addresses lie here and in no object
// of Python's, and they do something only when the worker's own code has called them: all functions on Python's stack
// are its own, from the outermost on. Who calls them from elsewhere is told.
#pragma once

#include <cstddef>

struct stitch_emulator_range;

extern "C" {

struct stitch_device_functions {
  void (*keep_apart)(const stitch_emulator_range*, size_t);
  void (*run_only)(int);
  void (*copy)(void*, const void*, size_t);
  int (*equal)(const void*, const void*, size_t);
  void (*enter)();
  void (*leave)();
  void (*keep_commands)(int);
  void (*keep_commands_from)(const stitch_emulator_range*, size_t);
  void (*put_first_contents_back)();
  void (*forget_commands)();
  size_t (*count_commands)();
  int (*begin_playing)(const stitch_emulator_range*, size_t, size_t);
  int (*play_up_to)(size_t);
  void (*end_playing)();
};

// Once, before the candidate is there. `codes`: code objects of the worker's own functions; what stands on the stack
// now is its own too.
void stitch_observer_keep_device(const stitch_device_functions* functions, void* const* codes, size_t count);
// `ranges` and `what` as the emulator has them. It is written to the pipe that a trial has begun.
void stitch_observer_begin_trial(const stitch_emulator_range* ranges, size_t count, int what);
void stitch_observer_end_trial(int all);
void stitch_observer_copy(void* to, const void* from, size_t bytes);
int stitch_observer_equal(const void* left, const void* right, size_t bytes);
// The tape of a call's commands, as the emulator has it.
void stitch_observer_keep_commands_from(const stitch_emulator_range* memory, size_t count);
void stitch_observer_end_keeping();
void stitch_observer_put_first_contents_back();
void stitch_observer_forget_commands();
int stitch_observer_begin_playing(const stitch_emulator_range* on_device, size_t count, size_t given_back);
int stitch_observer_play_up_to(size_t end);
void stitch_observer_end_playing();
// Of the tape alone, and asked by whoever likes: 0 where there is none.
size_t stitch_observer_count_commands();
}
