// SPDX-License-Identifier: Apache-2.0
// Whose a library is, by where it truly lies.
#pragma once

#include <string>
#include <string_view>

struct LibraryJudgement {
  const char* kind = nullptr;  // "event", "library", or nothing worth telling
  std::string what;
};

extern "C" {

// The candidate's own folder; whatever else of its libraries was read, or folders that it cannot write to, and where
// installed packages lie, one a line.
void stitch_observer_libraries(const char* folder, const char* read, const char* installed);
// More that was read. Both have a say once, before anything of the candidate's runs.
void stitch_observer_allow(const char* read);
}

// Of loading it by hand, under this name.
LibraryJudgement judged_library(const std::string& name);
// Of Python importing it as the module `module`.
LibraryJudgement judged_module(const std::string& module, const std::string& name);
// "libtorch_cpu.so" where this address lies in a library that computes on its own; else empty.
std::string computing_library_at(const void* address);
// By its name: PyTorch, or a library that computes beside the device.
bool is_computing_library(const std::string& path);

// Of Python or one of its packages, and none of the candidate's own.
bool is_installed(const std::string& path);
bool is_one_of_lines(std::string_view lines, std::string_view word);
