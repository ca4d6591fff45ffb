// SPDX-License-Identifier: Apache-2.0
#include "knowledge/fetch/fetch.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

const std::string kPage = "<h1>Guide</h1><p>" + std::string(400, 'x') + "</p>";

class Fetch : public ::testing::Test {
 protected:
  Download sending(const std::string& page) {
    return [this, page](const std::string& url, const fs::path& file) {
      asked_.push_back(url);
      return write_file(file, page);
    };
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-knowledge").value();
  FetchRequest request_{.guides = {"ptx"}, .server = "http://x", .folder = folder_.path() / "guides"};
  std::vector<std::string> asked_;
};

TEST_F(Fetch, BringsWhatIsNamed) {
  EXPECT_EQ(fetch_licence(request_, sending(kPage))->substr(0, 11), "\n\n# Guide\n\n");
  const std::vector<FetchedGuide> fetched = fetch_guides(request_, "the licence", sending(kPage)).value();
  ASSERT_EQ(fetched.size(), 1);
  EXPECT_EQ(read_file(fetched[0].file).value(), kPage);
  EXPECT_EQ(read_file(request_.folder / "LICENCE.accepted").value(), "the licence");
  EXPECT_EQ(asked_, (std::vector<std::string>{"http://x/cuda/eula/index.html",
                                              "http://x/cuda/parallel-thread-execution/index.html"}));
}

TEST_F(Fetch, BringsAllWhereNoneIsNamed) {
  request_.guides.clear();
  EXPECT_EQ(fetch_guides(request_, "", sending(kPage))->size(), known_guides().size());
}

TEST_F(Fetch, LeavesAnOlderCopyWhereTheServerFails) {
  ASSERT_TRUE(fetch_guides(request_, "", sending(kPage)).has_value());
  const Download failing = [](const std::string&, const fs::path&) -> Result<void> {
    return failure(ErrorCode::kEnvironment, "no network");
  };
  EXPECT_EQ(fetch_guides(request_, "", failing).error().message, "no network");
  EXPECT_EQ(fetch_guides(request_, "", sending("<p>oops</p>")).error().code, ErrorCode::kFileInvalid);
  EXPECT_EQ(read_file(request_.folder / "ptx.html").value(), kPage);
  EXPECT_EQ(std::distance(fs::directory_iterator(request_.folder), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace stitch::knowledge
