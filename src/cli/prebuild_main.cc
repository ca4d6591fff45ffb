// SPDX-License-Identifier: Apache-2.0
// stitchcuda-prebuild FOLDER: compiles what every program has in common for the emulated device, once: the headers of
// its units, parsed, and the host side. A program's own build finds them by content and compiles only what is its own.
#include <cstdio>

#include "base/error/result.h"
#include "codegen/runtime_files.h"
#include "driver/job/resources.h"
#include "toolchain/build/build.h"
#include "toolchain/cache/object_cache.h"

namespace {

using namespace stitch;

constexpr uint64_t kKeptBytes = uint64_t{256} << 20;  // earlier versions go

Result<void> prebuild(const std::filesystem::path& folder) {
  STITCH_ASSIGN(const driver::Resources resources, driver::find_resources());
  toolchain::ToolchainOptions options;
  options.emulator_include = resources.emulator_include();
  options.cache = folder;
  STITCH_ASSIGN(toolchain::Toolchain tools, toolchain::find_toolchain(options));
  tools.confinement.mode = sandbox::CageMode::kNone;  // our own sources
  toolchain::BuildRequest request;
  request.bundle.name = "prebuilt";
  request.objects_only = true;
  STITCH_TRY(codegen::add_runtime_files(resources.runtime().string(), {}, request.bundle));
  for (const DeviceKind device : {DeviceKind::kEmulated, DeviceKind::kChecked, DeviceKind::kCounted}) {
    request.device = device;
    STITCH_ASSIGN(const CompileReport report, toolchain::build(request, tools));
    if (!report.ok) {
      return failure(ErrorCode::kInternal, "the host side of emitted programs does not compile", folder.string(),
                     report.diagnostics.empty() ? "" : report.diagnostics.front().message);
    }
  }
  toolchain::ObjectCache(folder).prune(kKeptBytes);
  return {};
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    std::fputs("usage: stitchcuda-prebuild FOLDER\n", stderr);
    return 2;
  }
  const Result<void> done = prebuild(values[1]);
  if (!done.has_value()) {
    std::fprintf(stderr, "stitchcuda-prebuild: %s (%s)\n", done.error().message.c_str(), done.error().remedy.c_str());
    return 1;
  }
  return 0;
}
