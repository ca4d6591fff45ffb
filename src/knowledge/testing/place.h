// SPDX-License-Identifier: Apache-2.0
// An index in a temporary folder, for tests: our own cards, this machine's headers where there are any.
#pragma once

#include <filesystem>
#include <string>

#include "base/fs/files.h"
#include "knowledge/index/index.h"

namespace stitch::knowledge {

inline const std::filesystem::path kOwnCards = std::filesystem::path(STITCH_SOURCE_DIR) / "knowledge" / "cards";
inline const std::filesystem::path kTestData = std::filesystem::path(STITCH_SOURCE_DIR) / "src/knowledge/testdata";

class TestPlace {
 public:
  TestPlace() = default;
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path file() const { return folder() / "cache" / "index.sqlite"; }
  const Index& index() const { return index_; }

 private:
  static Sources sources() { return {.cards = kOwnCards, .headers = STITCH_CUDA_HEADERS}; }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-knowledge").value();
  Index index_ = Index::open(sources(), file()).value();
};

}  // namespace stitch::knowledge
