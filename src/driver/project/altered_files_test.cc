// SPDX-License-Identifier: Apache-2.0
// Stage files that were cut or altered at random, always in the same way: each is read or refused in a sentence, and
// nothing that it holds crashes its reader.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "artifact/source/source_bundle.h"
#include "artifact/task/task.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "frontend/convert.h"
#include "ir/text/parser.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"

namespace stitch::driver {
namespace {

constexpr int kFiles = 2000;

constexpr const char* kGraph = R"(graph g mode=eval
x: f32[4,6] = input "x"
w: f32[8,6] = parameter "w"
b: f32[8] = parameter "b"
h: f32[4,8] = linear(x, w, b)  @ model.py:14
r: f32[4,8] = relu(h)
m: f32[4,1] = amax(r; dim=[1], keepdim=true)
s: f32[4] = sum(r; dim=[1], keepdim=false)
return output "0" = s, output "1" = m
)";

constexpr const char* kExported = R"({
  "schema": "stitchcuda.exported/1", "name": "g", "mode": "eval",
  "values": [{"name": "x", "role": "input", "binding": "x", "dtype": "float32", "shape": [2, 3]}],
  "nodes": [
    {"target": "aten.softmax.int", "args": [{"value": "x"}, {"int": -1}], "kwargs": {},
     "outputs": [{"name": "s", "dtype": "float32", "shape": [2, 3]}], "place": "m.py:1"},
    {"target": "aten.cat.default", "args": [{"list": [{"value": "x"}, {"value": "s"}]}],
     "kwargs": {"dim": {"int": 1}},
     "outputs": [{"name": "c", "dtype": "float32", "shape": [2, 6]}], "place": "m.py:2"}],
  "outputs": [{"value": "c", "role": "output", "binding": "0"}]})";

constexpr const char* kTask = R"({"schema": "stitchcuda.task/1", "file": "/a/b.py", "target": "Model", "mode": "eval",
  "math": "fp32", "weights": null, "overrides": {"BATCH": 4, "WIDTH": 8}, "input_shapes": [[4, 6], [8], []]})";

// What stands in the place of a number.
constexpr const char* kNumbers[] = {"0",
                                    "-1",
                                    "1e999",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "2e18",
                                    "3.5",
                                    "null",
                                    "99999999999999999999999",
                                    "4294967296",
                                    "\"a\"",
                                    "true",
                                    "[]",
                                    "{}",
                                    "nan"};
constexpr const char* kPieces[] = {"[", "]",  "{",  "}", "(", ")",    ",",          ":",
                                   "=", "\"", "\n", "@", ";", "\xff", "input \"x\""};

class Alter {
 public:
  explicit Alter(unsigned seed) : random_(seed) {}

  // One to three changes.
  std::string operator()(std::string text) {
    for (size_t change = 1 + below(3); change > 0 && !text.empty(); --change) {
      text = once(std::move(text));
    }
    return text;
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  std::string once(std::string text) {
    const size_t at = below(text.size());
    const size_t length = 1 + below(std::min<size_t>(text.size() - at, 40));
    switch (below(7)) {
      case 0:
        return text.substr(0, at);
      case 1:
        return text.erase(at, length);
      case 2:
        return text.insert(at, text.substr(at, length));
      case 3:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        return text;
      case 4:
        return text.insert(at, kPieces[below(std::size(kPieces))]);
      case 5:
        return text.insert(at, text.substr(below(text.size()), length));
      default:
        return another_number(std::move(text), at);
    }
  }

  std::string another_number(std::string text, size_t from) {
    const size_t begin = text.find_first_of("0123456789", from);
    if (begin == std::string::npos) {
      return text;
    }
    const size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    return text.replace(begin, end - begin, kNumbers[below(std::size(kNumbers))]);
  }

  std::mt19937 random_;
};

// `read` says what it refuses, or the empty string for a file that it took.
using Read = std::function<std::string(const std::string&)>;

template <typename T>
std::string refusal(const Result<T>& result) {
  EXPECT_TRUE(result.has_value() || !result.error().message.empty());
  return result.has_value() ? "" : result.error().message;
}

// Some are refused and some are harmless; a reader that refuses all or none was not tried.
void try_altered(const std::string& text, unsigned seed, const Read& read) {
  ASSERT_EQ(read(text), "");
  Alter alter(seed);
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    refused += read(alter(text)).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, kFiles / 4);
}

template <typename Reader>
Read from_json_text(Reader reader) {
  return [reader](const std::string& text) -> std::string {
    const Result<Json> json = parse_json(text, "altered");
    return json.has_value() ? refusal(reader(*json)) : refusal(json);
  };
}

TEST(AlteredFiles, Graph) {
  try_altered(kGraph, 1, [](const std::string& text) { return refusal(ir::parse(text, "graph.ir")); });
}

TEST(AlteredFiles, GraphWithBatches) {
  const std::string text = std::string(kGraph) + "--- batch fixed: it is\n";
  try_altered(text, 2, [](const std::string& altered) { return refusal(plan::parse_batches(altered, "graph.ir")); });
}

TEST(AlteredFiles, PlannedGraph) {  // what still reads as a graph must also be planned or refused
  try_altered(kGraph, 3, [](const std::string& text) -> std::string {
    const Result<ir::Graph> graph = ir::parse(text, "graph.ir");
    return graph.has_value() ? refusal(plan::make_plan(*graph, {})) : refusal(graph);
  });
}

TEST(AlteredFiles, Plan) {
  const Result<ir::Graph> graph = ir::parse(kGraph, "graph.ir");
  const Result<plan::Plan> made = plan::make_plan(*graph, {});
  try_altered(plan::to_json(*made).dump(1), 4, from_json_text([](const Json& json) { return plan::from_json(json); }));
}

TEST(AlteredFiles, ExportedProgram) {
  try_altered(kExported, 5, from_json_text([](const Json& json) { return frontend::graph_from_exported(json); }));
}

TEST(AlteredFiles, Task) {
  try_altered(kTask, 6, from_json_text([](const Json& json) { return task_from_json(json); }));
}

TEST(AlteredFiles, Bundle) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("altered-files");
  ASSERT_TRUE(folder.has_value());
  const SourceBundle bundle = {.name = "g", .files = {{"a.cu", "1"}, {"steps/b.cu", "2"}}, .units = {"a.cu"}};
  ASSERT_TRUE(write_bundle(bundle, folder->path().string()).has_value());
  const std::filesystem::path manifest = folder->path() / "bundle.json";
  const Result<std::string> text = read_file(manifest);
  ASSERT_TRUE(text.has_value());
  try_altered(*text, 7, [&](const std::string& altered) {
    EXPECT_TRUE(write_file(manifest, altered).has_value());
    return refusal(read_bundle(folder->path().string()));
  });
}

}  // namespace
}  // namespace stitch::driver
