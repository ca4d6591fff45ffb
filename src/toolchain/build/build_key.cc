// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/build_key.h"

#include "base/hash/sha256.h"
#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

void add_target(Sha256& hash, const Target& target, const Toolchain& tools) {
  for (const std::string& flag : compile_flags(target)) {
    hash.update_field(flag);
  }
  for (const std::string& macro : target.torch.has_value() ? target.torch->macros : std::vector<std::string>()) {
    hash.update_field(macro);
  }
  for (const std::string& identity : tool_identities(target, tools)) {
    hash.update_field(identity);
  }
}

}  // namespace

std::string unit_key(const SourceBundle& bundle, const std::string& unit, const Target& target,
                     const Toolchain& tools) {
  Sha256 hash;
  hash.update_field("stitchcuda.unit/1");
  add_target(hash, target, tools);
  if (target.device == DeviceKind::kChecked && target.hides_sanitizers) {
    hash.update_field("without macros of sanitizers");
  }
  hash.update_field(bundle.files.at(unit));
  for (const std::string& header : include_closure(bundle, unit)) {
    hash.update_field(header);
    hash.update_field(bundle.files.at(header));
  }
  return hash.finish();
}

std::string library_key(const std::vector<std::string>& unit_keys, const Target& target, const Toolchain& tools) {
  Sha256 hash;
  hash.update_field("stitchcuda.library/1");
  add_target(hash, target, tools);
  hash.update_field(target.own_code_alone ? "own code alone" : "");
  hash.update_field(exports_of(target));
  for (const std::string& key : unit_keys) {
    hash.update_field(key);
  }
  return hash.finish();
}

}  // namespace stitch::toolchain
