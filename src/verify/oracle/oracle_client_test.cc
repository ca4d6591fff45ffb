// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle/oracle_client.h"

#include <gtest/gtest.h>

#include <string_view>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"
#include "verify/oracle/scripted_oracle.h"
#include "verify/oracle/step_oracle.h"

namespace stitch::verify {
namespace {

constexpr const char* kProgram = R"({"oracle": 4, "regimes": ["as_given", "signed_scaled"],
  "inputs": [{"name": "x", "dtype": "float32", "shape": [2]}], "parameters": [], "states": [],
  "outputs": [{"name": "0", "dtype": "float32", "shape": [2]}],
  "states_out": [{"name": "add_1", "binding": "count", "dtype": "int64", "shape": []}],
  "gate": {"ok": true, "max_ratio": 0.5}})";

std::string written(const TemporaryDirectory& folder, const std::string& name, const HostTensor& tensor) {
  const std::string path = folder.path() / name;
  const std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  EXPECT_TRUE(write_file(path, bytes).has_value());
  return path;
}

TEST(OracleClient, OpensAndDrawsFromFiles) {
  auto folder = TemporaryDirectory::make("oracle-test");
  ASSERT_TRUE(folder.has_value());
  std::vector<std::string> verbs;
  OracleClient client([&](const std::string& verb, const Json& arguments) -> Result<Json> {
    verbs.push_back(verb);
    if (verb == "oracle.open") {
      EXPECT_EQ(arguments["math"], "tf32");
      EXPECT_TRUE(arguments["target"].is_null());
      return parse_json(kProgram, "script");
    }
    EXPECT_EQ(arguments["oracle"], 4);
    EXPECT_EQ(arguments["regime"], "signed_scaled");
    const auto floats = [&](const char* name) { return written(*folder, name, float_tensor({2}, {1, 2})); };
    const auto count = [&](const char* name) { return written(*folder, name, integer_tensor({}, {7})); };
    return Json{{"dropped", nullptr},
                {"inputs", {floats("x")}},
                {"parameters", Json::array()},
                {"states", Json::array()},
                {"outputs",
                 {{{"name", "0"},
                   {"kind", "float"},
                   {"ref64", written(*folder, "r", double_tensor({2}, {1, 2}))},
                   {"native", floats("n")},
                   {"runs", {floats("a"), floats("b"), floats("c")}}}}},
                {"states_out",
                 {{{"name", "count"},
                   {"kind", "exact"},
                   {"ref64", count("s")},
                   {"native", count("t")},
                   {"runs", Json::array()}}}}};
  });
  OracleSource source;
  source.task.math = MathMode::kTf32;
  const auto program = client.open(source);
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_TRUE(program->gate_ok);
  const auto draw = client.draw(*program, "signed_scaled", 2);
  ASSERT_TRUE(draw.has_value()) << draw.error().message;
  ASSERT_EQ(draw->outputs.size(), 2U);
  EXPECT_EQ(draw->outputs[0].name, "output 0");
  EXPECT_EQ(draw->outputs[0].perturbed.size(), 2U);
  EXPECT_EQ(draw->outputs[0].disturbed.size(), 1U);
  EXPECT_EQ(draw->outputs[1].name, "state count");
  EXPECT_EQ(draw->outputs[1].kind, OutputKind::kExact);
  double values[2] = {};
  load_doubles(draw->inputs[0], 0, 2, values);
  EXPECT_EQ(values[1], 2.0);
  EXPECT_TRUE(std::filesystem::is_empty(folder->path())) << "the client takes the files away";
}

TEST(OracleClient, HandsContentsOverAndTakesTheirAnswers) {
  auto folder = TemporaryDirectory::make("oracle-test");
  ASSERT_TRUE(folder.has_value());
  bool drops = false;
  OracleClient client([&](const std::string& verb, const Json& arguments) -> Result<Json> {
    if (verb == "oracle.open") {
      return parse_json(kProgram, "script");
    }
    EXPECT_EQ(verb, "oracle.given");
    EXPECT_EQ(arguments["oracle"], 4);
    EXPECT_EQ(arguments["draw"], 1);
    EXPECT_EQ(arguments["folder"], folder->path().string());
    EXPECT_EQ(arguments["states"].size(), 0U);
    const auto read = read_file(arguments["inputs"].at(0).get<std::string>());
    EXPECT_TRUE(read.has_value() && read->size() == 2 * sizeof(float));
    if (drops) {
      return Json{{"dropped", "log of a negative"}};
    }
    const auto floats = [&](const char* name) { return written(*folder, name, float_tensor({2}, {3, 4})); };
    const auto count = [&](const char* name) { return written(*folder, name, integer_tensor({}, {7})); };
    return Json{{"dropped", nullptr},
                {"outputs",
                 {{{"name", "0"},
                   {"ref64", written(*folder, "r", double_tensor({2}, {3, 4}))},
                   {"native", floats("n")},
                   {"runs", {floats("a"), floats("b"), floats("c")}}}}},
                {"states_out", {{{"name", "count"}, {"ref64", count("s")}, {"native", count("t")}}}}};
  });
  const auto program = client.open({});
  ASSERT_TRUE(program.has_value());
  const GivenContents contents{
      .inputs = {float_tensor({2}, {1, 2})}, .states = {}, .draw = 1, .folder = folder->path()};
  const auto answered = client.given(*program, contents);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  ASSERT_EQ(answered->outputs.size(), 2U);
  EXPECT_EQ(answered->outputs[0].perturbed.size(), 2U);
  EXPECT_GT(answered->outputs[0].input_epsilon, 0.0);
  double values[2] = {};
  load_doubles(answered->outputs[0].reference, 0, 2, values);
  EXPECT_EQ(values[1], 4.0);
  drops = true;
  EXPECT_EQ(client.given(*program, contents)->dropped, "log of a negative");
}

TEST(OracleClient, ADroppedDrawSaysWhy) {
  OracleClient client([](const std::string& verb, const Json&) -> Result<Json> {
    return verb == "oracle.open" ? parse_json(kProgram, "script")
                                 : Result<Json>(Json{{"dropped", "log of a negative"}});
  });
  const auto program = client.open({});
  ASSERT_TRUE(program.has_value());
  const auto draw = client.draw(*program, "as_given", 0);
  ASSERT_TRUE(draw.has_value());
  EXPECT_EQ(draw->dropped, "log of a negative");
}

TEST(OracleClient, AnAnswerThatLacksAFileIsAnError) {
  OracleClient client([](const std::string& verb, const Json&) -> Result<Json> {
    return verb == "oracle.open" ? parse_json(kProgram, "script")
                                 : Result<Json>(Json{{"inputs", Json::array()}, {"parameters", Json::array()}});
  });
  const auto program = client.open({});
  ASSERT_TRUE(program.has_value());
  const auto draw = client.draw(*program, "as_given", 0);
  ASSERT_FALSE(draw.has_value());
  EXPECT_EQ(draw.error().code, ErrorCode::kInternal);
}

TEST(StepOracle, FeedsTrueValuesRoundedToTheirType) {
  OracleProgram whole;
  whole.parameters = {{"w", TensorRole::kParameter, {DataType::kFloat32, {2}}}};
  ScriptedOracle scripted(
      [&](const OracleSource&) { return Result<OracleProgram>(whole); },
      [&](const OracleProgram&, const std::string&, int) {
        OracleDraw draw;
        const auto w = float_tensor({2}, {3, 4});
        draw.parameters = {HostTensor::from_bytes(whole.parameters[0], {w.bytes().begin(), w.bytes().end()})};
        return Result<OracleDraw>(draw);
      },
      [](const TensorSpec& value) {
        auto reference = float_reference({2}, {1.0 + 0x1p-30, 2.0}, {1.0, 2.0});
        reference.name = value.name;
        return Result<OutputReference>(reference);
      });
  const TensorType type{DataType::kFloat32, {2}};
  StepOracle step(scripted, {{{{"in", TensorRole::kInput, type}, "hidden"}},
                             {{{"weight", TensorRole::kParameter, type}, "w"}},
                             {{{"out", TensorRole::kOutput, type}, "next"}}});
  const auto program = step.open({});
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->outputs[0].name, "out");
  const auto draw = step.draw(*program, "as_given", 0);
  ASSERT_TRUE(draw.has_value());
  double values[2] = {};
  load_doubles(draw->inputs[0], 0, 2, values);
  EXPECT_EQ(values[0], 1.0);
  load_doubles(draw->parameters[0], 0, 2, values);
  EXPECT_EQ(values[1], 4.0);
  EXPECT_EQ(draw->outputs[0].name, "next");
}

// An operator that a rewrite brought in is none of PyTorch's: nothing can be drawn of the step, and who asked says why.
TEST(StepOracle, AValueThatTheReferenceCannotMakeIsTold) {
  ScriptedOracle scripted([](const OracleSource&) { return Result<OracleProgram>(OracleProgram()); }, {}, {});
  const auto named = [](const char* why_not) {
    return [why_not](const OracleProgram&) { return Result<ValueNames>(ValueNames{{}, why_not}); };
  };
  StepOracle alone(scripted, {{}, {}, {}, named("")});
  EXPECT_TRUE(alone.open({}).has_value());
  EXPECT_EQ(alone.why_not(), "");
  StepOracle step(scripted, {{}, {}, {}, named("The reference cannot run lstm_layer by itself.")});
  const auto opened = step.open({});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kProgramInvalid);
  EXPECT_EQ(opened.error().message, step.why_not());
  EXPECT_EQ(step.why_not(), "The reference cannot run lstm_layer by itself.");
}

// Two rows of 512 elements, hence two tiles; of the second the oracle is not certain.
class StayingOutputTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::make("oracle-test");
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(std::move(*folder));
    program_.id = 4;
    program_.outputs.push_back({"y", TensorRole::kOutput, {DataType::kFloat32, {2, 512}}});
  }
  static HostTensor filled(DataType type, double value) {
    std::vector<double> values(1024, value);
    return type == DataType::kFloat64 ? double_tensor({2, 512}, values) : float_tensor({2, 512}, values);
  }
  Json answer(double got, int in_doubt) {
    const auto file = [&](const char* name, const HostTensor& tensor) { return written(*folder_, name, tensor); };
    Json runs = Json::array();
    for (const char* name : {"run0", "run1", "run2"}) {
      runs.push_back(file(name, filled(DataType::kFloat32, 1.0)));
    }
    return Json{{"elements", 1024}, {"ill_conditioned", 0}, {"max_ratio", 0.5}, {"error_sum", 1e-4},
                {"own_error_sum", 1e-4}, {"kernelbench_rule_ok", true}, {"ulps", {{3, 1024}}}, {"ulp_max", 0.25},
                {"in_doubt", in_doubt}, {"tiles", {1}}, {"kind", "float"},
                {"got", file("got", filled(DataType::kFloat32, got))},
                {"ref64", file("ref64", filled(DataType::kFloat64, 1.0))},
                {"native", file("native", filled(DataType::kFloat32, 1.0))}, {"runs", runs}};
  }
  Result<std::vector<std::optional<OutputComparison>>> look_at(double got, int in_doubt) {
    OracleClient client([&, got, in_doubt](const std::string& verb, const Json& arguments) -> Result<Json> {
      EXPECT_EQ(verb, "oracle.look_at");
      EXPECT_EQ(arguments["outputs"][0]["handle"], "ab");
      whole_ += arguments["whole"].get<bool>() ? 1 : 0;
      return Json{{"outputs", {answer(got, in_doubt)}}};
    });
    const HostTensor place = HostTensor::at_place(program_.outputs[0], {.handle = "ab", .offset = 16});
    return client.look_at(program_, {place}, MathMode::kFp32);
  }

  std::optional<TemporaryDirectory> folder_;
  OracleProgram program_;
  int whole_ = 0;
};

TEST_F(StayingOutputTest, ATileInDoubtThatIsRightLeavesNoRefusal) {
  const auto seen = look_at(1.0, 1);
  ASSERT_TRUE(seen.has_value()) << seen.error().message;
  EXPECT_FALSE((*seen)[0]->refusal.has_value());
  EXPECT_EQ((*seen)[0]->statistics.elements, 1024);
  EXPECT_DOUBLE_EQ((*seen)[0]->statistics.max_ratio, 0.5);
  EXPECT_EQ(whole_, 0);
}

TEST_F(StayingOutputTest, ATileInDoubtThatIsWrongIsRefusedByTheWholeRule) {
  const auto seen = look_at(1.5, 700);
  ASSERT_TRUE(seen.has_value()) << seen.error().message;
  ASSERT_TRUE((*seen)[0]->refusal.has_value());
  EXPECT_EQ((*seen)[0]->refusal->tile, 1);
  EXPECT_EQ((*seen)[0]->refusal->refused, 512) << "the first tile was not in doubt";
  EXPECT_EQ(whole_, 0) << "one refusal is enough";
}

TEST_F(StayingOutputTest, MoreTilesInDoubtThanCameAlongAreAllJudged) {
  const auto seen = look_at(1.0, 700);
  ASSERT_TRUE(seen.has_value()) << seen.error().message;
  EXPECT_FALSE((*seen)[0]->refusal.has_value());
  EXPECT_EQ(whole_, 1);
}

}  // namespace
}  // namespace stitch::verify
