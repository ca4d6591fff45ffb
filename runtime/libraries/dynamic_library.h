// SPDX-License-Identifier: Apache-2.0
// An optional shared library, looked for when a program first wants it: nothing is linked, so the program runs as well
// where the library is not installed.
#pragma once

#include <initializer_list>

namespace stitch {

class DynamicLibrary {
 public:
  // `probe` is a function by which the library is known when this process has it already; else the first of `names`
  // that dlopen() finds. Found libraries stay loaded.
  DynamicLibrary(const char* probe, std::initializer_list<const char*> names);

  // Null when the library or its function is not there.
  void* symbol(const char* name) const;

  template <typename Function>
  bool load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(symbol(name));
    return function != nullptr;
  }

 private:
  void* library_ = nullptr;  // null: the process itself
  bool is_found_ = false;
};

}  // namespace stitch
