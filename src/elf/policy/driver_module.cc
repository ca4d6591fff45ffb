// SPDX-License-Identifier: Apache-2.0
// The one kind of library that may ask the loader for functions: the modules in C by which Triton reaches the driver.
// They look up those that an old libcuda.so.1 lacks, and hold nothing else that a candidate could want.
#include "elf/policy/driver_module.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stitch::elf {
namespace {

constexpr std::array<std::string_view, 6> kNeeded = {"libcuda.so.1",    "libc.so.6",  "ld-linux-x86-64.so.2",
                                                     "libpthread.so.0", "libdl.so.2", "libm.so.6"};
constexpr std::array<std::string_view, 4> kLookUps = {"dlopen", "dlsym", "dlclose", "dlerror"};
// Memory, text and what the compiler and its checks call.
constexpr std::array<std::string_view, 37> kOfC = {
    "malloc",         "calloc",           "realloc",        "free",
    "posix_memalign", "aligned_alloc",    "memcpy",         "memmove",
    "memset",         "memcmp",           "__memcpy_chk",   "__memset_chk",
    "strcat",         "strncat",          "strcpy",         "strncpy",
    "stpcpy",         "strlen",           "strcmp",         "strncmp",
    "__strcat_chk",   "__strncat_chk",    "__strcpy_chk",   "__strncpy_chk",
    "__stpcpy_chk",   "snprintf",         "__snprintf_chk", "printf",
    "__printf_chk",   "fprintf",          "__fprintf_chk",  "stderr",
    "__assert_fail",  "__stack_chk_fail", "__cxa_finalize", "__gmon_start__",
    "fwrite"};
constexpr std::array<std::string_view, 2> kOfTheCompiler = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_of_python(const std::string& name) { return name.starts_with("Py") || name.starts_with("_Py"); }

bool may_be_imported(const Import& import) {
  return is_one_of(kOfC, import.name) || is_one_of(kOfTheCompiler, import.name) || is_look_up(import.name) ||
         is_of_python(import.name) || is_driver_function(import.name);
}

}  // namespace

bool is_driver_function(const std::string& name) {
  return name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
}

bool is_look_up(const std::string& name) { return is_one_of(kLookUps, name); }

bool is_driver_module(const LibraryFacts& facts) {
  const auto is_allowed = [](const std::string& library) { return is_one_of(kNeeded, library); };
  const auto is_of_driver = [](const Import& import) { return is_driver_function(import.name); };
  return !facts.names_torch && !facts.has_gpu_code &&
         std::all_of(facts.needed.begin(), facts.needed.end(), is_allowed) &&
         std::all_of(facts.imports.begin(), facts.imports.end(), may_be_imported) &&
         std::any_of(facts.imports.begin(), facts.imports.end(), is_of_driver);
}

}  // namespace stitch::elf
