// SPDX-License-Identifier: Apache-2.0
#include "toolchain/source/step_form.h"

#include <gtest/gtest.h>

namespace stitch::toolchain {
namespace {

const Names kElsewhere = names_in("struct StepArgs { void* const* tensors; }; int launch_map(float* map); float relu;");

// A step as it is emitted, about `value`, whose line of mathematics is `made`.
std::string step(const std::string& value, const std::string& number, const std::string& made) {
  return "// step " + number + ": " + value + "\n#include \"stitch/step.h\"\nnamespace {\nenum Tensor {\n  k" + value +
         ",\n};\nstruct " + value + "Map {\n  const float* " + value + "_in;\n" +
         "  __device__ float at(int64_t i) const {\n" +
         "    const float " + value + "_value = " + value + "_in[i];\n    return " + made + ";\n  }\n};\n}\n" +
         "extern \"C\" int step_" + number + "(const StepArgs* args) {\n  const " + value + "Map map{." + value +
         "_in = static_cast<const float*>(args->tensors[k" + value + "])};\n  return launch_map(map);\n}\n";
}

std::string form_of(const std::string& source) {
  const std::optional<StepForm> form = step_form(source, kElsewhere);
  return form.has_value() ? form->text : "";
}

TEST(StepForm, StepsThatDifferInTheirOwnNamesHaveOne) {
  const std::optional<StepForm> one = step_form(step("fc1", "03", "fc1_value * 2.0f"), kElsewhere);
  const std::optional<StepForm> other = step_form(step("layers_7", "21", "layers_7_value * 2.0f"), kElsewhere);
  ASSERT_TRUE(one.has_value() && other.has_value());
  EXPECT_EQ(one->text, other->text);
  EXPECT_EQ(one->function, "step_03");
  EXPECT_EQ(other->function, "step_21");
}

TEST(StepForm, WhatIsComputedIsPartOfIt) {
  const std::string form = form_of(step("a", "1", "sinf(a_value) + b"));
  ASSERT_NE(form, "");
  EXPECT_NE(form, form_of(step("a", "1", "cosf(a_value) + b")));
  EXPECT_NE(form, form_of(step("a", "1", "sinf(a_value) + c")));
  EXPECT_NE(form, form_of(step("a", "1", "sinf(a_value) - b")));
  EXPECT_NE(form, form_of(step("a", "1", "stitch::sinf(a_value) + b")));
}

TEST(StepForm, TwoNamesDoNotBecomeOne) {
  const auto with = [](const std::string& body) { return form_of("extern \"C\" int f(int a) { " + body + " }\n"); };
  ASSERT_NE(with("int x = a; int y = 2; return x - y;"), "");
  EXPECT_EQ(with("int x = a; int y = 2; return x - y;"), with("int u = a; int v = 2; return u - v;"));
  EXPECT_NE(with("int x = a; int y = 2; return x - y;"), with("int u = a; int v = 2; return u - u;"));
  EXPECT_NE(with("int x = a; int y = 2; return x - y;"), with("int u = a; int v = 2; return v - u;"));
}

TEST(StepForm, WhatAHeaderNamesKeepsItsName) {
  const auto with = [](const std::string& name) {
    return form_of("extern \"C\" int f(int a) { float " + name + " = a; return " + name + "; }\n");
  };
  EXPECT_EQ(with("one"), with("two"));
  EXPECT_NE(with("one"), with("relu"));
  EXPECT_NE(with("one"), with("_Reserved"));
}

TEST(StepForm, OtherSourcesHaveNone) {
  const std::string good = step("a", "1", "a_value");
  ASSERT_NE(form_of(good), "");
  EXPECT_EQ(form_of("#define A 1\n" + good), "");
  EXPECT_EQ(form_of("__device__ float state;\n" + good), "");
  EXPECT_EQ(form_of("static int count = 0;\n" + good), "");
  EXPECT_EQ(form_of(step("a", "1", "a_value + __LINE__")), "");
  EXPECT_EQ(form_of(good + "extern \"C\" int another(int a) { return a; }\n"), "");
  EXPECT_EQ(form_of(good + "int again() { return step_1(nullptr); }\n"), "");
  EXPECT_EQ(form_of("int host() { return 1; }\n"), "");
  EXPECT_EQ(form_of(good + "/* open"), "");
}

}  // namespace
}  // namespace stitch::toolchain
