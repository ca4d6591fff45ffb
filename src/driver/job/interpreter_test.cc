// SPDX-License-Identifier: Apache-2.0
#include "driver/job/interpreter.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::driver {
namespace {

const Resources kResources{.root = {}, .programs = {}, .python = "/home/anna/.pyenv/shims/python"};

TEST(Interpreter, IsTheOneThatAnsweredAndNotTheScriptThatStartedIt) {
  EXPECT_EQ(interpreter_of(kResources, {{"interpreter", "/opt/python/bin/python3.11"}}), "/opt/python/bin/python3.11");
}

TEST(Interpreter, IsTheWordThatWasGivenWherePythonDoesNotKnowItsOwn) {
  EXPECT_EQ(interpreter_of(kResources, {{"interpreter", ""}}), kResources.python.string());
  EXPECT_EQ(interpreter_of(kResources, Json::object()), kResources.python.string());
}

}  // namespace
}  // namespace stitch::driver
