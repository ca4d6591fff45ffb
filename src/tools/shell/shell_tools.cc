// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/shell_tools.h"

#include <fmt/format.h>

#include "base/text/printable.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"

namespace stitch::tools {
namespace {

constexpr int64_t kDefaultSeconds = 60;
constexpr int64_t kMaxSeconds = 600;
constexpr int64_t kGrepMs = 20'000;
constexpr int kGrepFoundNothing = 1;

using RunInRoom = Result<ToolReply> (*)(const Json& arguments, ShellRoom& room);

class RoomTool final : public Tool {
 public:
  RoomTool(ToolSpec spec, ShellRoom& room, RunInRoom run) : spec_(std::move(spec)), room_(room), run_(run) {}
  const ToolSpec& spec() const override { return spec_; }
  Result<ToolReply> run(const Json& arguments, ToolContext&) const override { return run_(arguments, room_); }

 private:
  ToolSpec spec_;
  ShellRoom& room_;
  RunInRoom run_;
};

std::string how_it_ended(const ExitState& exit) {
  return exit.timed_out     ? "It took too long, and was ended with all that it had started."
         : exit.signal != 0 ? fmt::format("It was killed by signal {}.", exit.signal)
                            : fmt::format("It ended with status {}.", exit.exit_code);
}

ToolReply reply_of(const ExitState& exit, const std::string& text) {
  ToolReply reply{.outcome = exit.ok() ? Outcome::kDone : Outcome::kFellShort};
  reply.text = printable_lines(text);
  reply.text += (reply.text.empty() || reply.text.ends_with('\n') ? "" : "\n") + how_it_ended(exit);
  reply.facts = {{"status", exit.exit_code}, {"signal", exit.signal}, {"timed_out", exit.timed_out}};
  return reply;
}

Result<ToolReply> run_shell(const Json& arguments, ShellRoom& room) {
  const std::string command = *text_in(arguments, "command");
  const auto background = arguments.find("background");
  if (background != arguments.end() && background->get<bool>()) {
    STITCH_ASSIGN(const int64_t number, room.start(command));
    ToolReply reply;
    reply.text = fmt::format("It runs in the background as number {}: see shell_output.", number);
    reply.facts = {{"number", number}};
    return reply;
  }
  const int64_t seconds = whole_in(arguments, "timeout_s").value_or(kDefaultSeconds);
  STITCH_ASSIGN(const ShellOutput output, room.run(command, seconds * 1000));
  return reply_of(output.exit, output.text);
}

Result<ToolReply> run_shell_output(const Json& arguments, ShellRoom& room) {
  const int64_t wait_s = whole_in(arguments, "wait_s").value_or(0);
  STITCH_ASSIGN(const ShellRoom::Looked looked, room.look(*whole_in(arguments, "number"), wait_s * 1000));
  if (!looked.is_running) {
    return reply_of(looked.exit, looked.fresh);
  }
  ToolReply reply;
  reply.text = printable_lines(looked.fresh) + "\nIt is still running.";
  reply.facts = {{"running", true}};
  return reply;
}

Result<ToolReply> run_shell_end(const Json& arguments, ShellRoom& room) {
  STITCH_TRY(room.end(*whole_in(arguments, "number")));
  return ToolReply{.text = "It has ended."};
}

Result<ToolReply> run_grep(const Json& arguments, ShellRoom& room) {
  std::vector<std::string> words = {"/bin/grep", "-rnIE", "--devices=skip", "--max-count=200"};
  if (const std::optional<std::string> files = text_in(arguments, "files")) {
    words.push_back("--include=" + *files);
  }
  words.insert(words.end(), {"-e", *text_in(arguments, "pattern"), "--", "."});
  STITCH_ASSIGN(const ShellOutput output, room.run_program(words, kGrepMs));
  if (output.exit.ok() || output.exit.exit_code == kGrepFoundNothing) {
    return ToolReply{.text = output.text.empty() ? "No line fits." : printable_lines(output.text)};
  }
  return reply_of(output.exit, output.text);
}

class TodoTool final : public Tool {
 public:
  explicit TodoTool(ToolSpec spec) : spec_(std::move(spec)) {}
  const ToolSpec& spec() const override { return spec_; }
  Result<ToolReply> run(const Json& arguments, ToolContext&) const override {
    ToolReply reply;
    for (const Json& item : arguments["items"]) {
      const std::string state = text_in(item, "state").value_or("open");
      reply.text += fmt::format("[{}] {}\n",
                                state == "done"    ? "x"
                                : state == "doing" ? ">"
                                                   : " ",
                                printable_line(text_in(item, "what").value_or(""), 400));
    }
    return reply;
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> shell_tool(ShellRoom& room) {
  return std::make_unique<RoomTool>(
      ToolSpec{.name = "shell",
               .schema = object_schema(
                   {text_property("command", "For /bin/sh, begun in the workspace."),
                    whole_property("timeout_s", 1, kMaxSeconds, "After which it is ended; 60 if left out."),
                    {"background", Json{{"type", "boolean"}, {"description", "Do not wait for it."}}}},
                   {"command"}),
               .effects = {.writes = true}},
      room, run_shell);
}

std::unique_ptr<Tool> shell_output_tool(ShellRoom& room) {
  return std::make_unique<RoomTool>(
      ToolSpec{.name = "shell_output",
               .schema = object_schema({whole_property("number", 1, 1'000'000, "Of a process in the background."),
                                        whole_property("wait_s", 0, kMaxSeconds, "Seconds to wait for its end.")},
                                       {"number"})},
      room, run_shell_output);
}

std::unique_ptr<Tool> shell_end_tool(ShellRoom& room) {
  return std::make_unique<RoomTool>(
      ToolSpec{.name = "shell_end",
               .schema = object_schema({whole_property("number", 1, 1'000'000, "Of a process in the background.")},
                                       {"number"}),
               .cost = Cost::kInstant},
      room, run_shell_end);
}

std::unique_ptr<Tool> grep_tool(ShellRoom& room) {
  return std::make_unique<RoomTool>(
      ToolSpec{.name = "grep",
               .schema = object_schema({text_property("pattern", "An extended regular expression."),
                                        text_property("files", "Only files of such names, as \"*.cu\".")},
                                       {"pattern"}),
               .cost = Cost::kInstant},
      room, run_grep);
}

std::unique_ptr<Tool> todo_tool() {
  const Json item = object_schema({text_property("what", "One thing to do, in a few words."),
                                   choice_property("state", {"open", "doing", "done"}, "open if left out.")},
                                  {"what"});
  const Property items = {"items", Json{{"type", "array"}, {"maxItems", 50}, {"items", item}}};
  return std::make_unique<TodoTool>(
      ToolSpec{.name = "todo", .schema = object_schema({items}, {"items"}), .cost = Cost::kInstant});
}

}  // namespace stitch::tools
