// SPDX-License-Identifier: Apache-2.0
// IR text, and the case files of the tests, which hold it.
#include "base/testing/case_file.h"
#include "fuzz.h"
#include "ir/testing/run_case.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace {

using namespace stitch;

void read_graph(std::string_view text) {
  const auto graph = ir::parse(text, "input.ir");
  if (!graph.has_value()) {
    fuzz::require(!graph.error().message.empty(), "a refusal has a sentence");
    return;
  }
  if (!ir::validate(*graph).has_value()) {
    return;
  }
  const std::string printed = ir::print(*graph);
  const auto again = ir::parse(printed, "printed.ir");
  fuzz::require(again.has_value(), "what is printed can be read");
  fuzz::require(ir::validate(*again).has_value(), "what is printed is valid");
  fuzz::require(ir::print(*again) == printed, "what is printed is read as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  read_graph(text);
  (void)ir::parse_type(text).has_value();
  const fuzz::MemoryFile file(text);
  const auto cases = testing::read_cases(file.path());
  if (cases.has_value()) {
    for (testing::CaseFile one : *cases) {
      one.run = "infer";  // running it is as dear as its extents are large
      (void)testing::run_case(one);
    }
  }
  return 0;
}
