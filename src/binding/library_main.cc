// SPDX-License-Identifier: Apache-2.0
// libstitchcuda.so: the C interface over answer().
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/guard/guarded.h"
#include "binding/answer.h"
#include "binding/stitchcuda.h"

namespace {

// What the library belongs to lies beside it, whatever program has loaded it.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&stitchcuda_ask), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  return std::filesystem::canonical(info.dli_fname, ignored).parent_path();
}

}  // namespace

int stitchcuda_interface(void) { return STITCHCUDA_INTERFACE; }

char* stitchcuda_ask(const char* request, size_t bytes) {
  // Not even an answer that no memory is left for may reach a caller as an exception.
  const auto answered = stitch::guarded([&] { return stitch::binding::answer({request, bytes}, own_folder()); },
                                        stitch::ErrorCode::kInternal, "no answer");
  if (!answered.has_value()) {
    return nullptr;
  }
  char* copy = static_cast<char*>(std::malloc(answered->size() + 1));
  if (copy != nullptr) {
    std::memcpy(copy, answered->c_str(), answered->size() + 1);
  }
  return copy;
}

void stitchcuda_free(char* answer) { std::free(answer); }
