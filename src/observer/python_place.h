// SPDX-License-Identifier: Apache-2.0
// Which line of a candidate's file is running on this thread, asked of the Python interpreter in this process.
#pragma once

#include <array>
#include <cstddef>

struct PythonPlace {
  std::array<char, 512> text{};  // "model_new.py:12", or empty where no line of the candidate's is on the stack
};

// Files below this folder, or this very file, are the candidate's.
void set_candidate_folder(const char* folder);
PythonPlace python_place();

// Code objects of the worker's own functions; those that are on the stack now join them. Once.
void set_own_code(void* const* codes, size_t count);
// Whether all functions on the stack of the calling thread, which holds the interpreter's lock, are the worker's own,
// the outermost the one that it was when they were set: of another thread it is not.
bool only_own_code_runs();
