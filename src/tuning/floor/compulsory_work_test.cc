// SPDX-License-Identifier: Apache-2.0
// Graphs in, what must be moved and computed out.
#include "tuning/floor/compulsory_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/case_file.h"
#include "ir/text/parser.h"

namespace stitch::tuning {
namespace {

std::string run_case(const testing::CaseFile& one) {
  const auto graph = ir::parse(one.input, "case");
  if (!graph.has_value()) {
    return "refused: " + graph.error().message + "\n";
  }
  const evaluate::CompulsoryWork work = compulsory_work(*graph);
  return fmt::format("{:.0f} bytes read, {:.0f} written, {:.0f} FLOPs of products, {:.0f} of convolutions\n",
                     work.read_bytes, work.write_bytes, work.matmul_flops, work.convolution_flops);
}

class CompulsoryWorkCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompulsoryWorkCase, CountsWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, CompulsoryWorkCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/tuning/floor/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::tuning
