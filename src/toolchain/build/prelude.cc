// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/process/last_will.h"
#include "toolchain/build/compile_unit.h"
#include "toolchain/build/tool_cage.h"
#include "toolchain/cache/key_turn.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "prelude.h";
constexpr const char* kParsed = "prelude.h.gch";  // the name under which g++ looks for it
constexpr const char* kBytes = "bytes";           // how long the parsed form is: a cut one is seen

fs::path folder_in(const fs::path& root, const Target& target, const Toolchain& tools) {
  Sha256 hash;
  hash.update_field("stitchcuda.prelude/1");
  hash.update_field(prelude_text(target));
  for (const std::string& flag : compile_flags(target)) {
    hash.update_field(flag);
  }
  for (const std::string& identity : tool_identities(target, tools)) {
    hash.update_field(identity);
  }
  // The parsed form names the headers that it was made of.
  hash.update_field(tools.emulator_include.string());
  hash.update_field(tools.cuda_include.string());
  for (const fs::path& folder : target.torch.has_value() ? target.torch->includes : std::vector<fs::path>()) {
    hash.update_field(folder.string());
  }
  return root / "preludes" / hash.finish();
}

bool is_whole(const fs::path& folder) {
  const Result<std::string> bytes = read_file(folder / kBytes);
  std::error_code error;
  return bytes.has_value() && *bytes == std::to_string(fs::file_size(folder / kParsed, error)) && !error &&
         fs::exists(folder / kHeader, error);
}

// Time of last use is only ever used to decide what to throw away.
void mark_used(const fs::path& folder) {
  for (const char* name : {kHeader, kParsed, kBytes}) {
    std::error_code ignored;
    fs::last_write_time(folder / name, fs::file_time_type::clock::now(), ignored);
  }
}

// No candidate's fault: none of its lines is there yet.
Unexpected headers_unusable(const ToolRun& run) {
  const auto first = std::find_if(run.diagnostics.begin(), run.diagnostics.end(),
                                  [](const Diagnostic& each) { return each.severity == Severity::kError; });
  return failure(ErrorCode::kEnvironment,
                 fmt::format("PyTorch's C++ headers do not compile here: {}",
                             first == run.diagnostics.end() ? "the compiler failed" : first->message),
                 first == run.diagnostics.end() ? "" : first->file,
                 "install the headers of this Python (python3-dev) and a compiler that this PyTorch takes");
}

// It appears whole or not at all, whoever else makes the same one.
Result<fs::path> make_prelude(const Target& target, const Toolchain& tools, const fs::path& folder,
                              const WhenSlow& when_slow) {
  STITCH_TRY(make_directories(folder.parent_path()));
  STITCH_ASSIGN(const TemporaryDirectory aside, TemporaryDirectory::make("making", folder.parent_path()));
  const fs::path made = aside.path() / "made";
  STITCH_TRY(write_file(made / kHeader, prelude_text(target)));
  STITCH_ASSIGN(const ToolRun run,
                run_tool(prelude_command(target, tools, made / kHeader, made / kParsed), aside.path(), kHeader,
                         made / kParsed, tool_cage(tools, target, aside.path()), {.when_slow = when_slow}));
  std::error_code error;
  const uintmax_t bytes = fs::file_size(made / kParsed, error);
  if ((!run.ok || error) && target.torch.has_value()) {
    return headers_unusable(run);
  }
  if (!run.ok || error) {
    return fs::path();
  }
  STITCH_TRY(write_file(made / kBytes, std::to_string(bytes)));
  fs::rename(made, folder, error);
  return is_whole(folder) ? folder / kHeader : fs::path();
}

}  // namespace

Result<fs::path> find_prelude(const Target& target, const Toolchain& tools, const WhenSlow& when_slow) {
  if (target.device == DeviceKind::kCuda) {
    return fs::path();
  }
  if (!tools.prebuilt.empty()) {
    const fs::path ready = folder_in(tools.prebuilt, target, tools);
    if (is_whole(ready)) {
      return ready / kHeader;
    }
  }
  const fs::path kept = folder_in(tools.cache, target, tools);
  if (is_whole(kept)) {
    mark_used(kept);
    return kept / kHeader;
  }
  const KeyTurn turn =
      KeyTurn::wait(tools.cache, kept.filename().string(), {.limit_ms = kToolLimitMs, .is_abandoned = no_more_children},
                    [&] { return is_whole(kept); });
  if (is_whole(kept)) {  // made by another meanwhile
    mark_used(kept);
    return kept / kHeader;
  }
  std::error_code ignored;
  fs::remove_all(kept, ignored);  // a damaged one
  return make_prelude(target, tools, kept, when_slow);
}

}  // namespace stitch::toolchain
