// SPDX-License-Identifier: Apache-2.0
// A generated program as text: what `emit` writes, `build` compiles and an author may edit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "artifact/tensor/tensor_spec.h"
#include "base/json/json_forward.h"

namespace stitch {

struct SourceBundle {
  std::string name;                          // a C identifier: "transformer_block"
  std::map<std::string, std::string> files;  // relative path -> text: "steps/03_fc1_gelu.cu", "program.cu"
  std::vector<std::string> units;            // which of the files are translation units, in link order
};

// Reads a bundle back from a folder that holds bundle.json and the files it lists; and writes one.
// bundle.json: {"schema": "stitchcuda.bundle/1", "name", "files": [...], "units": [...]}
Result<SourceBundle> read_bundle(const std::string& folder);
Result<void> write_bundle(const SourceBundle& bundle, const std::string& folder);

}  // namespace stitch
