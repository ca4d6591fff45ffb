// SPDX-License-Identifier: Apache-2.0
// A program as Python: model_new.py, a drop-in module over the project's folder, and kernelbench_solution.py, one file
// that has everything in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"

namespace stitch::codegen {

// What the user's file says, as Python text (the importer's `forms`).
struct PythonReference {
  std::string source;              // the whole file
  std::string constructor_source;  // the file without what only forward needs
  std::string target;              // the class, function or module instance that was compiled
  enum class Kind { kClass, kFunction, kInstance } kind = Kind::kClass;
  std::string takes;                  // forward's arguments, with t[i] for the i-th tensor
  std::string returns;                // what forward returns, likewise
  std::map<std::string, bool> modes;  // each submodule's training flag
  bool both_modes = false;            // the same program in train and in eval mode
  bool random = false;                // forward draws numbers
  bool single_file = true;            // the source alone makes the module: no files beside it
  struct Constant {
    std::string name;
    std::string dtype;
    std::vector<int64_t> shape;
    std::string base64;
  };
  std::vector<Constant> constants;  // tensors that forward makes of literals
};

struct PythonFormOptions {
  std::string runtime_folder;  // the repository's or distribution's runtime/
};

// Relative path -> text: model_new.py, and the Python package it needs.
Result<std::map<std::string, std::string>> module_form(const SourceBundle& bundle, const PythonReference& reference,
                                                       const PythonFormOptions& options);

// The text of kernelbench_solution.py.
Result<std::string> single_file_form(const SourceBundle& bundle, const PythonReference& reference,
                                     const PythonFormOptions& options);

}  // namespace stitch::codegen
