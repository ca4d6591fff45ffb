// SPDX-License-Identifier: Apache-2.0
// An exported program that was cut or altered is refused with a sentence, wherever the change is.
#include <gtest/gtest.h>

#include <functional>

#include "base/json/json.h"
#include "frontend/convert.h"
#include "ir/validate/validate.h"

namespace stitch::frontend {
namespace {

constexpr const char* kProgram = R"({
  "schema": "stitchcuda.exported/1", "name": "g", "mode": "eval",
  "values": [{"name": "x", "role": "input", "binding": "x", "dtype": "float32", "shape": [2, 3]}],
  "nodes": [
    {"target": "aten.softmax.int", "args": [{"value": "x"}, {"int": -1}], "kwargs": {},
     "outputs": [{"name": "s", "dtype": "float32", "shape": [2, 3]}], "place": "m.py:1"},
    {"target": "aten.cat.default", "args": [{"list": [{"value": "x"}, {"value": "s"}]}],
     "kwargs": {"dim": {"int": 1}},
     "outputs": [{"name": "c", "dtype": "float32", "shape": [2, 6]}], "place": "m.py:2"}],
  "outputs": [{"value": "c", "role": "output", "binding": "0"}]})";

Json sample() { return parse_json(kProgram, "sample").value(); }

std::string refusal(const Json& json) {
  const auto graph = graph_from_exported(json);
  return graph.has_value() ? "" : graph.error().message + " @ " + graph.error().location;
}

void for_each_part(Json& part, const std::function<void(Json& part)>& change) {
  change(part);
  if (part.is_structured()) {
    for (auto& child : part) {
      for_each_part(child, change);
    }
  }
}

TEST(Exported, TheSampleIsTaken) { EXPECT_EQ(refusal(sample()), ""); }

TEST(Exported, AnotherSchemaIsRefused) {
  Json json = sample();
  json["schema"] = "stitchcuda.exported/9";
  EXPECT_EQ(refusal(json), "schema stitchcuda.exported/9 is not stitchcuda.exported/1 @ ");
  for (const char* text : {"null", "3", "[]", "{}", "\"x\""}) {
    EXPECT_NE(refusal(parse_json(text, "a").value()), "") << text;
  }
}

TEST(Exported, TypesThatAreNotPyTorchsAreRefused) {
  Json json = sample();
  json["nodes"][0]["outputs"][0]["shape"] = {2, 4};
  EXPECT_EQ(refusal(json), "aten.softmax.int gives f32[2,4] in PyTorch, but f32[2,3] by our rule @ m.py:1");
  json = sample();
  json["nodes"][1]["outputs"][0]["dtype"] = "float64";
  EXPECT_EQ(refusal(json), "aten.cat.default gives f64[2,6] in PyTorch, but f32[2,6] by our rule @ m.py:2");
}

TEST(Exported, UnknownNamesAreRefused) {
  Json json = sample();
  json["outputs"][0]["value"] = "nobody";
  EXPECT_EQ(refusal(json), "output nobody is no value of the program @ ");
}

TEST(Exported, SizesBeyondAnyMemoryAreRefused) {
  Json json = sample();
  json["values"][0]["shape"] = {2, INT64_MAX};
  EXPECT_EQ(refusal(json), "shape [2,9223372036854775807] is larger than any memory @ ");
  json = sample();
  json["nodes"][0]["outputs"][0]["shape"] = {0, INT64_MAX};
  EXPECT_EQ(refusal(json), "node 0: shape [0,9223372036854775807] is larger than any memory @ ");
  json["nodes"][0]["outputs"][0]["shape"] = {-2, 3};
  EXPECT_EQ(refusal(json), "node 0: shape [-2,3] holds a negative extent @ ");
}

// Forms that PyTorch itself would never write, in an export that was altered.
TEST(Exported, ImpossibleArgumentsAreCarriedOpaquely) {
  for (const char* arguments : {
           R"({"target": "aten.cat.default", "args": [{"list": []}]})",
           R"({"target": "aten.stack.default", "args": [{"list": []}]})",
           R"({"target": "aten.chunk.default", "args": [{"value": "x"}, {"int": 0}]})",
           R"({"target": "aten.split.Tensor", "args": [{"value": "x"}]})",
           R"({"target": "aten.pad.default", "args": [{"value": "x"}, {"list": [{"int": 1}, {"int": 1}, {"int": 1},
               {"int": 1}, {"int": 1}, {"int": 1}]}]})",
           R"({"target": "aten.movedim.intlist", "args": [{"value": "x"}, {"list": [{"int": 0}, {"int": 0}]},
               {"list": [{"int": 0}, {"int": 1}]}]})",
           R"({"target": "aten.group_norm.default", "args": [{"value": "x"}, {"int": 0}]})",
           R"({"target": "aten.scaled_dot_product_attention.default", "args": [{"value": "x"}, {"value": "x"},
               {"value": "x"}, {"none": null}, {"float": 0.0}, {"bool": false}],
               "kwargs": {"enable_gqa": {"bool": true}}})",
       }) {
    Json json = sample();
    Json& node = json["nodes"][0];
    const Json altered = parse_json(arguments, "altered").value();
    node["kwargs"] = Json::object();
    node.update(altered);
    const auto graph = graph_from_exported(json);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(unsupported_operators(*graph).size(), 1U) << arguments;
  }
}

TEST(Exported, TensorsOfDifferentRanksAreNotJoined) {
  for (const char* target : {"aten.cat.default", "aten.stack.default"}) {
    Json json = sample();
    json["values"].push_back(json["values"][0]);
    json["values"][1]["name"] = "flat";
    json["values"][1]["shape"] = {4};
    Json& node = json["nodes"][1];
    node["target"] = target;
    node["args"][0]["list"][1]["value"] = "flat";
    const auto graph = graph_from_exported(json);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(unsupported_operators(*graph).size(), 1U) << target;
  }
}

TEST(Exported, MissingMembersAreRefused) {
  const Json whole = sample();
  for (const char* key : {"schema", "name", "mode", "values", "nodes", "outputs"}) {
    Json cut = whole;
    cut.erase(key);
    EXPECT_NE(refusal(cut).find(key), std::string::npos) << refusal(cut);
  }
  for (const char* key : {"target", "args", "kwargs", "outputs", "place"}) {
    Json cut = whole;
    cut["nodes"][1].erase(key);
    EXPECT_EQ(refusal(cut).rfind("node 1: ", 0), 0U) << refusal(cut);
    EXPECT_NE(refusal(cut).find(key), std::string::npos) << refusal(cut);
  }
}

TEST(Exported, NamesThatIrTextCannotHoldAreRefusedOrChanged) {
  Json mode = sample();
  mode["mode"] = "two words";
  EXPECT_NE(refusal(mode).find("\"two words\""), std::string::npos) << refusal(mode);
  Json file = sample();
  file["name"] = "10_two words";
  const auto named = graph_from_exported(file);
  ASSERT_TRUE(named.has_value()) << named.error().message;
  EXPECT_EQ(named->name, "program_10_two_words");
  for (const char* name : {"", "a-b", "return", "3"}) {
    Json json = sample();
    json["values"][0]["name"] = name;
    json["nodes"] = Json::array();
    json["outputs"][0]["value"] = name;
    const auto graph = graph_from_exported(json);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_TRUE(ir::is_value_name(graph->values[0].name)) << graph->values[0].name;
    EXPECT_EQ(graph->inputs[0].binding, "x");
  }
}

TEST(Exported, TwoValuesOfOneNameAreRefused) {
  Json json = sample();
  json["values"].push_back(json["values"][0]);
  EXPECT_EQ(refusal(json), "x is defined twice @ ");
}

// Any part exchanged for any other kind: a graph or a sentence, never a crash.
TEST(Exported, PartsOfAnotherKindAreNoDisaster) {
  Json json = sample();
  const std::vector<Json> others = {nullptr,
                                    true,
                                    -1,
                                    int64_t{1} << 62,
                                    0.5,
                                    "",
                                    "x",
                                    Json::array(),
                                    Json::object(),
                                    Json{{"int", "x"}},
                                    Json{{"value", 3}},
                                    Json{{"list", 3}},
                                    Json{{"float", "x"}}};
  int refused = 0;
  for_each_part(json, [&](Json& part) {
    const Json kept = part;
    for (const Json& other : others) {
      part = other;
      const auto graph = graph_from_exported(json);
      if (!graph.has_value()) {
        EXPECT_FALSE(graph.error().message.empty());
        ++refused;
      }
    }
    part = kept;
  });
  EXPECT_GT(refused, 200);
  EXPECT_EQ(refusal(json), "");
}

TEST(Exported, TextCutShortIsRefused) {
  const std::string text = kProgram;
  for (size_t length = 0; length < text.size(); length += 7) {
    const auto json = parse_json(text.substr(0, length), "exported.json");
    ASSERT_FALSE(json.has_value());
    EXPECT_NE(json.error().message.find("exported.json"), std::string::npos) << json.error().message;
  }
}

}  // namespace
}  // namespace stitch::frontend
