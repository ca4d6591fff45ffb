// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <dlfcn.h>

extern "C" void* look_up(const char* name) { return dlsym(RTLD_DEFAULT, name); }
