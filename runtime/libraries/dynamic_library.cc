// SPDX-License-Identifier: Apache-2.0
#include "libraries/dynamic_library.h"

#include <dlfcn.h>

namespace stitch {

DynamicLibrary::DynamicLibrary(const char* probe, std::initializer_list<const char*> names)
    : is_found_(dlsym(RTLD_DEFAULT, probe) != nullptr) {
  for (const char* name : names) {
    if (is_found_) {
      return;
    }
    library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    is_found_ = library_ != nullptr;
  }
}

void* DynamicLibrary::symbol(const char* name) const {
  return is_found_ ? dlsym(library_ == nullptr ? RTLD_DEFAULT : library_, name) : nullptr;
}

}  // namespace stitch
