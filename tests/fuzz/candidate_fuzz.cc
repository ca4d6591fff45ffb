// SPDX-License-Identifier: Apache-2.0
// A candidate's folder as its author left it: which kind it is, what is taken out of it, what it includes.
#include "artifact/source/source_bundle.h"
#include "fuzz.h"
#include "toolchain/candidate/candidate_kind.h"
#include "toolchain/candidate/candidate_sources.h"
#include "toolchain/source/include_closure.h"

namespace {

using namespace stitch;

void look_into(const SourceBundle& bundle) {
  (void)toolchain::outside_file(bundle);
  if (!toolchain::check_bundle_paths(bundle).has_value()) {
    return;
  }
  for (const std::string& unit : bundle.units) {
    for (const std::string& name : toolchain::include_closure(bundle, unit)) {
      fuzz::require(bundle.files.contains(name), "what a unit includes is a file of the bundle");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::FolderText text = fuzz::folder_text(fuzz::text_of(data, size));
  const fuzz::ScratchFolder folder(text);
  (void)toolchain::classify_candidate(folder.path()).has_value();
  // The runtime's folder: anything with this file in it.
  static const fuzz::ScratchFolder runtime(
      fuzz::FolderText{.files = {{"include/stitch_program.h", "\n"}}, .links = {}});
  const auto sources = toolchain::read_candidate_sources(folder.path(), runtime.path());
  if (sources.has_value()) {
    for (const auto& [name, contents] : sources->bundle.files) {
      const bool is_theirs = text.files.contains(name) && text.files.at(name) == contents;
      fuzz::require(is_theirs || contents == "\n", "sources are regular files of the folder");
    }
    look_into(sources->bundle);
  }
  const auto bundle = read_bundle(folder.path().string());
  if (bundle.has_value()) {
    look_into(*bundle);
  }
  return 0;
}
