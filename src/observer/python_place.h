// SPDX-License-Identifier: Apache-2.0
// Which line of a candidate's file is running on this thread, asked of the Python interpreter in this process.
#pragma once

#include <array>

struct PythonPlace {
  std::array<char, 512> text{};  // "model_new.py:12", or empty where no line of the candidate's is on the stack
};

// Files below this folder, or this very file, are the candidate's.
void set_candidate_folder(const char* folder);
PythonPlace python_place();
