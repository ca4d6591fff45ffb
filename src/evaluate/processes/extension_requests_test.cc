// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/extension_requests.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::evaluate {
namespace {

Json request(const std::string& name, const Json& files, const Json& macros = Json::array()) {
  const Json text = {{"name", name}, {"files", files}, {"units", {"main.cpp"}}, {"macros", macros}};
  return {{"key", "k"}, {"text", text.dump()}};
}

Json answer(const Json& item) { return {{"is_cut", false}, {"requests", {item}}}; }

const Json kFiles = {{"main.cpp", "int one() { return 1; }"}};

TEST(ExtensionRequests, AreRead) {
  const auto found = extension_requests_from_json(answer(request("mine", kFiles, {"-DWIDTH=4"})));
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->requests.size(), 1u);
  EXPECT_EQ(found->requests[0].bundle.name, "mine");
  EXPECT_EQ(found->requests[0].bundle.units, std::vector<std::string>{"main.cpp"});
  EXPECT_EQ(found->requests[0].macros, std::vector<std::string>{"-DWIDTH=4"});
}

// The process that answers is the candidate's: whatever it says is its own doing.
TEST(ExtensionRequests, OfAnotherFormAreTheCandidatesFault) {
  for (const Json& bad :
       {Json::object(), Json{{"is_cut", 3}, {"requests", Json::array()}}, Json{{"is_cut", true}, {"requests", 7}},
        answer(3), answer({{"key", "k"}, {"text", "{"}}), answer({{"key", 1}}), answer(request("no name", kFiles)),
        answer(request("mine", "files")), answer(request("mine", {{"../main.cpp", ""}})),
        answer(request("mine", Json::object())), answer(request("mine", kFiles, {"-include/etc/passwd"})),
        answer(request("mine", kFiles, {"-DSTITCH_X=1"})), answer(request("mine", kFiles, 4))}) {
    const auto found = extension_requests_from_json(bad);
    ASSERT_FALSE(found.has_value()) << bad.dump();
    EXPECT_EQ(found.error().code, ErrorCode::kProgramInvalid) << bad.dump();
  }
}

}  // namespace
}  // namespace stitch::evaluate
