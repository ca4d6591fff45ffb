// SPDX-License-Identifier: Apache-2.0
#include "service/tasks/task_list.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/hash/sha256.h"

namespace stitch::service {
namespace {

class TaskListTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text).has_value());
  }
  std::string names(const std::vector<std::filesystem::path>& places) {
    std::string joined;
    const TaskList list = TaskList::read(places).value();
    for (const auto& [id, task] : list.all()) {
      joined += id + (task.split.empty() ? "" : "/" + task.split) + " ";
    }
    return joined;
  }
  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-tasks").value();
};

TEST_F(TaskListTest, FoldersOfProgramsAreNamedByTheirPaths) {
  write("level1/1_Square.py", "import torch\n");
  write("level1/__init__.py", "");
  write("model.py", "import torch\n");
  EXPECT_EQ(names({folder_.path()}), "level1/1_Square model ");
  EXPECT_EQ(names({folder_.path() / "model.py"}), "model ");
}

TEST_F(TaskListTest, LinesAsSynthWritesThem) {
  write("tasks/000001_relu.py", "import torch\n");
  write("tasks.jsonl", R"({"id": "t1", "file": "tasks/000001_relu.py", "split": "train"})"
                       "\n\n");
  EXPECT_EQ(names({folder_.path()}), "t1/train ");
  const TaskList list = TaskList::read({folder_.path() / "tasks.jsonl"}).value();
  EXPECT_EQ(list.find("t1").value()->version, sha256_hex("import torch\n"));
  EXPECT_EQ(list.find("t2").error().message, "there is no task 't2' (did you mean 't1'?)");
}

TEST_F(TaskListTest, WhatIsNoListIsSaid) {
  EXPECT_EQ(TaskList::read({folder_.path()}).error().message, "there is no task to serve");
  EXPECT_FALSE(TaskList::read({folder_.path() / "none"}).has_value());
  write("a.jsonl", "{\"id\": 1}\n");
  EXPECT_FALSE(TaskList::read({folder_.path() / "a.jsonl"}).has_value());
  write("model.py", "");
  EXPECT_EQ(TaskList::read({folder_.path() / "model.py", folder_.path() / "model.py"}).error().message,
            "two tasks are called 'model'");
}

}  // namespace
}  // namespace stitch::service
