// SPDX-License-Identifier: Apache-2.0
// What is kept between runs: how much it is, and how to be rid of it. Other runs may use it at the same time.
#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/byte_size.h"
#include "cli/options/request.h"
#include "driver/build/compile_program.h"
#include "toolchain/cache/cache_use.h"
#include "toolchain/cache/object_cache.h"

namespace stitch::cli {
namespace {

Json as_json(const toolchain::CacheKind& kind) { return {{"files", kind.files}, {"bytes", kind.bytes}}; }

std::string as_text(const char* name, const toolchain::CacheKind& kind) {
  return fmt::format("{:<20} {:>7} files  {:>10}\n", name, kind.files, bytes_text(kind.bytes));
}

uint64_t bytes_of_times(const std::filesystem::path& cache) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(cache / "tuning.sqlite", error);
  return error ? 0 : bytes;
}

void show(Invocation& invocation, const toolchain::Toolchain& tools) {
  const toolchain::CacheContents contents = toolchain::ObjectCache(tools.cache).contents();
  const int users = toolchain::users_of(tools.cache).count;
  const uint64_t times = bytes_of_times(tools.cache);
  const Json said = {{"schema", "stitchcuda.cache/1"},
                     {"folder", tools.cache.string()},
                     {"limit_bytes", tools.cache_bytes},
                     {"objects", as_json(contents.objects)},
                     {"libraries", as_json(contents.libraries)},
                     {"parsed_headers", as_json(contents.preludes)},
                     {"measured_times_bytes", times},
                     {"users", users}};
  std::string text = fmt::format("{}\n", tools.cache.string());
  text += as_text("compiled files", contents.objects) + as_text("libraries", contents.libraries) +
          as_text("parsed headers", contents.preludes);
  text += fmt::format("{:<20} {:>7}        {:>10}\n", "measured times", "", bytes_text(times));
  text += fmt::format("{} of {} (--cache-size, STITCHCUDA_CACHE_SIZE); used by {} runs now",
                      bytes_text(contents.bytes()), bytes_text(tools.cache_bytes), users);
  invocation.reporter().result(said, text);
}

void clear(Invocation& invocation, const toolchain::Toolchain& tools) {
  const toolchain::ObjectCache cache(tools.cache);
  const uint64_t before = cache.contents().bytes();
  const uint64_t left = cache.prune(0).bytes();
  const uint64_t freed = before - std::min(left, before);
  std::string text = fmt::format("{} thrown away; measured times are kept", bytes_text(freed));
  if (left > 0) {
    text += fmt::format("; {} stay, which {} runs use now", bytes_text(left), toolchain::users_of(tools.cache).count);
  }
  invocation.reporter().result(Json{{"schema", "stitchcuda.cache/1"},
                                    {"folder", tools.cache.string()},
                                    {"freed_bytes", freed},
                                    {"left_bytes", left}},
                               text);
}

}  // namespace

Result<int> run_cache(Invocation& invocation) {
  STITCH_ASSIGN(toolchain::Toolchain tools, toolchain::find_toolchain());
  STITCH_ASSIGN(tools.cache_bytes, asked_cache_bytes(invocation.line()));
  if (invocation.line().action == "clear") {
    clear(invocation, tools);
  } else {
    show(invocation, tools);
  }
  return 0;
}

}  // namespace stitch::cli
