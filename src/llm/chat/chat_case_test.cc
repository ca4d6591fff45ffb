// SPDX-License-Identifier: Apache-2.0
// Text in, text out: what servers send to what is made of it, and requests to what is sent. In inputs \xE2 stands for
// that byte, \r for a carriage return. Each stream is read whole, in two pieces cut at every byte, and byte by byte.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "llm/chat/actions.h"
#include "llm/chat/stream_reader.h"
#include "llm/chat/write_request.h"

namespace stitch::llm {
namespace {

std::string unescaped(const std::string& text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\\x") == 0) {
      bytes += static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16));
      at += 3;
    } else if (text.compare(at, 2, "\\r") == 0) {
      bytes += '\r';
      ++at;
    } else {
      bytes += text[at];
    }
  }
  return bytes;
}

std::string shown(const ChatReply& reply) {
  std::string text = fmt::format("content: {}\n", reply.content);
  text += reply.reasoning.empty() ? "" : fmt::format("reasoning: {}\n", reply.reasoning);
  for (const ToolCall& call : reply.calls) {
    text += fmt::format("call {}: {} {}{}\n", call.id, call.name, call.arguments,
                        call.complaint.empty() ? "" : " (" + call.complaint + ")");
  }
  if (!reply.tokens.empty() || !reply.prompt_tokens.empty() || !reply.log_probs.empty()) {
    text += fmt::format("tokens: {} -> {}, log-probabilities {}\n", reply.prompt_tokens, reply.tokens, reply.log_probs);
  }
  const Usage usage = reply.usage.value_or(estimated_usage(400, reply));
  return text + fmt::format("finish: {}\nusage: {} ({} cached), {} ({} reasoning){}\n", to_string(reply.finish),
                            usage.prompt_tokens, usage.cached_tokens, usage.answer_tokens, usage.reasoning_tokens,
                            usage.is_estimated ? ", estimated" : "");
}

std::string read_in_pieces(const std::string& bytes, size_t first, size_t piece) {
  StreamReader reader;
  std::optional<Fault> fault;
  for (size_t at = 0; at < bytes.size() && !fault.has_value();) {
    const size_t length = at == 0 ? first : piece;
    fault = reader.feed(std::string_view(bytes).substr(at, length));
    at += length;
  }
  const std::variant<ChatReply, Fault> end = fault.has_value() ? *fault : reader.finish();
  if (const Fault* found = std::get_if<Fault>(&end); found != nullptr) {
    const bool again = wait_before_retry({}, *found, 0, 0).has_value();
    return fmt::format("fault, {}: {}\n", again ? "tried again" : "for good", found->message);
  }
  return shown(std::get<ChatReply>(end));
}

std::string run_stream(const testing::CaseFile& one) {
  const std::string bytes = unescaped(one.input);
  const std::string whole = read_in_pieces(bytes, bytes.size(), bytes.size());
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    if (read_in_pieces(bytes, cut, bytes.size()) != whole) {
      return fmt::format("{}cut at byte {} it is another:\n{}", whole, cut, read_in_pieces(bytes, cut, bytes.size()));
    }
  }
  return read_in_pieces(bytes, 1, 1) == whole ? whole : "byte by byte it is another";
}

std::vector<Tool> tools_in(const std::string& text) {
  std::vector<Tool> tools;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t schema = line.find(' ', 5);
    if (line.rfind("tool ", 0) == 0) {
      tools.push_back(
          {.name = line.substr(5, schema - 5), .description = "Does it.", .schema = line.substr(schema + 1)});
    }
  }
  return tools;
}

std::string run_action(const testing::CaseFile& one) {
  ChatReply reply{.content = one.input, .finish = Finish::kStop};
  take_action(reply);
  check_names(reply, tools_in(one.given));
  return shown(reply);
}

// "user: words", "assistant: words", "call ID NAME ARGUMENTS", "result ID NAME words", "schema JSON", "sampling",
// "training"
ChatRequest request_in(const std::string& text) {
  ChatRequest request{.model = "m", .tools = tools_in(text)};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    const std::string rest = line.size() > verb.size() ? line.substr(verb.size() + 1) : "";
    if (verb == "system:") {
      request.messages.push_back({.speaker = Speaker::kSystem, .content = rest});
    } else if (verb == "user:") {
      request.messages.push_back({.speaker = Speaker::kUser, .content = rest});
    } else if (verb == "assistant:") {
      request.messages.push_back({.speaker = Speaker::kAssistant, .content = rest});
    } else if (verb == "call") {
      ToolCall call;
      words >> call.id >> call.name;
      call.arguments = rest.substr(std::min(rest.size(), call.id.size() + call.name.size() + 2));
      request.messages.back().calls.push_back(with_checked_arguments(call));
    } else if (verb == "result") {
      Message message{.speaker = Speaker::kTool};
      words >> message.call_id >> message.tool;
      message.content = rest.substr(message.call_id.size() + message.tool.size() + 2);
      request.messages.push_back(message);
    } else if (verb == "schema") {
      request.schema = rest;
    } else if (verb == "sampling") {
      request.sampling = {.temperature = 0.2, .top_p = 0.9, .seed = 7, .max_tokens = 100};
    } else if (verb == "training") {
      request.sampling.wants_tokens = true;
      request.sampling.wants_log_probs = true;
    }
  }
  return request;
}

Dialect dialect_in(const std::string& words) {
  const auto has = [&](const char* word) { return words.find(word) != std::string::npos; };
  return {.streams = !has("no_stream"),
          .tools = !has("no_tools"),
          .schemas = !has("no_schemas"),
          .usage_in_stream = !has("no_usage"),
          .counts_completion_tokens = has("completion_tokens")};
}

std::string run_request(const testing::CaseFile& one) {
  const Result<Json> body = write_request(request_in(one.input), dialect_in(one.given));
  return body.has_value() ? body->dump(1) : "refused: " + body.error().message;
}

std::string run_case(const testing::CaseFile& one) {
  return one.run == "stream" ? run_stream(one) : one.run == "action" ? run_action(one) : run_request(one);
}

class ChatCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ChatCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, ChatCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/llm/testdata/chat")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::llm
