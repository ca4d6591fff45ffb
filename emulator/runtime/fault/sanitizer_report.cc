// SPDX-License-Identifier: Apache-2.0
// The checked build: what the sanitizers find becomes one sentence with file and line, as every other fault.
#include "fiber/sanitizer.h"

#ifdef __SANITIZE_ADDRESS__

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fault/fault.h"
#include "stitch_emulator/memory.h"

extern "C" {
void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file, unsigned* line,
                                     unsigned* column, char** address);
const char* __asan_default_options();
const char* __ubsan_default_options();
void __ubsan_on_report();
}

namespace stitch_emulator {
namespace {

constexpr size_t kPathBytes = 512;

// "#2 0x55… in kernel(float*) dir/file.cu:12:3" -> file and line. False when the frame has no source or is not the
// program's own.
bool read_frame(const char* line, size_t length, char* file, int* number) {
  char text[1024];
  if (length >= sizeof(text)) {
    length = sizeof(text) - 1;
  }
  memcpy(text, line, length);
  text[length] = '\0';
  const char* path = strrchr(text, ' ');
  if (path == nullptr || strstr(path, "/emulator/") != nullptr || strstr(path, "stitch_emulator") != nullptr ||
      strncmp(path, " ../", 4) == 0 || strncmp(path, " /usr/", 6) == 0) {
    return false;
  }
  ++path;
  const char* colon = strchr(path, ':');
  if (colon == nullptr || static_cast<size_t>(colon - path) >= kPathBytes) {
    return false;
  }
  memcpy(file, path, static_cast<size_t>(colon - path));
  file[colon - path] = '\0';
  *number = atoi(colon + 1);
  return *number > 0;
}

bool find_place(const char* report, char* file, int* line) {
  for (const char* at = strstr(report, "    #"); at != nullptr; at = strstr(at + 1, "\n    #")) {
    const char* start = *at == '\n' ? at + 1 : at;
    const char* end = strchr(start, '\n');
    const size_t length = end == nullptr ? strlen(start) : static_cast<size_t>(end - start);
    if (read_frame(start, length, file, line)) {
      return true;
    }
  }
  return false;
}

void on_address_error(const char* report) {
  const void* address = __asan_get_report_address();
  const char* kind = __asan_get_report_description();
  char message[512];
  const char* memory = stitch_is_shared(address)                   ? "outside the block's __shared__ variables"
                       : strstr(kind, "use-after-free") != nullptr ? "to memory that was freed"
                       : strstr(kind, "global") != nullptr         ? "outside a variable"
                       : strstr(kind, "stack") != nullptr          ? "outside a local variable"
                       : strstr(kind, "heap") != nullptr           ? "outside its allocation"
                                                                   : "to memory that is not the program's";
  snprintf(message, sizeof(message), "a %s of %zu bytes %s (%s)", __asan_get_report_access_type() ? "write" : "read",
           __asan_get_report_access_size(), memory, kind);
  char file[kPathBytes];
  int line = 0;
  const bool found = find_place(report, file, &line);
  host_fault(message, found ? file : nullptr, line);
}

// Before main, so that nothing is missed.
[[maybe_unused]] const bool installed = [] {
  __asan_set_error_report_callback(on_address_error);
  return true;
}();

}  // namespace
}  // namespace stitch_emulator

extern "C" {

const char* __asan_default_options() {
  return "exitcode=97:detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:"
         "handle_abort=0:color=never";
}

const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=0:color=never"; }

void __ubsan_on_report() {
  const char* kind = nullptr;
  const char* message = nullptr;
  const char* file = nullptr;
  unsigned line = 0;
  unsigned column = 0;
  char* address = nullptr;
  __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  stitch_emulator::host_fault(message, file, static_cast<int>(line));
}

}  // extern "C"

#endif
