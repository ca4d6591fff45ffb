// SPDX-License-Identifier: Apache-2.0
// The functions that a program's text defines, with what of their bodies can run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rubric/source/tokens.h"

namespace stitch::rubric {

struct Function {
  std::string name;   // "operator" for any operator
  std::string owner;  // the struct it is a member of, or empty
  std::string file;
  int line = 0;
  bool is_kernel = false;  // __global__
  bool is_device = false;  // __device__ or a kernel
  std::vector<Token> parameters;
  std::vector<Token> body;  // live_body()
};

// Function-like macros count as functions of the host and the device.
std::vector<Function> functions_of(const std::vector<Token>& tokens, const std::string& file);

// All functions that `roots` may come to: those that a reached body names, and all members of a struct it names. More
// than are called, never fewer but for what macros paste together.
std::vector<const Function*> reached_from(const std::vector<const Function*>& roots,
                                          const std::vector<Function>& functions);

}  // namespace stitch::rubric
