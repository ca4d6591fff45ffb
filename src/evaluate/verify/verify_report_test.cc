// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/verify_report.h"

#include <gtest/gtest.h>

namespace stitch::evaluate {
namespace {

verify::OutputReport output(const std::string& name, bool kernelbench_rule_ok) {
  verify::OutputReport made;
  made.name = name;
  made.kernelbench_rule_ok = kernelbench_rule_ok;
  return made;
}

TEST(VerifyReport, WhatKernelBenchWouldRefuseIsExplained) {
  VerifyReport report;
  report.outputs = {output("output 0", true), output("output 1", false)};
  report.regimes = {{"declared", "as_given", output("output 0", true)},
                    {"declared", "as_given", output("output 1", true)},
                    {"declared", "near_equal", output("output 1", false)},
                    {"hidden", "near_equal", output("output 1", false)}};
  EXPECT_EQ(exceptions_of(report),
            std::vector<std::string>{"output 1 is farther from PyTorch's run than KernelBench's rule allows "
                                     "(near_equal): the reference's own runs err by as much there"});
  report.findings.add(Finding{});
  EXPECT_TRUE(exceptions_of(report).empty()) << "a refusal has its own reason";
}

}  // namespace
}  // namespace stitch::evaluate
