// SPDX-License-Identifier: Apache-2.0
#include "tools/process/serve_tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "tools/process/channel_progress.h"
#include "tools/replies/error_reply.h"
#include "tools/table/run_tool.h"

namespace stitch::tools {
namespace {

// Lines from any thread.
class Writer {
 public:
  explicit Writer(int channel) : channel_(channel) {}

  void write(const Json& object) {
    const std::string line = object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(mutex_);
    for (size_t at = 0; at < line.size();) {
      const ssize_t count = ::write(channel_, line.data() + at, line.size() - at);
      if (count < 0 && errno != EINTR) {
        return;  // nobody waits for the answer any more
      }
      at += count > 0 ? static_cast<size_t>(count) : 0;
    }
  }

 private:
  int channel_;
  std::mutex mutex_;
};

std::string first_line(int channel) {
  std::string line;
  std::array<char, 65536> bytes{};
  while (line.find('\n') == std::string::npos) {
    const ssize_t count = ::read(channel, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      break;
    }
    line.append(bytes.data(), count > 0 ? static_cast<size_t>(count) : 0);
  }
  return line;
}

Result<ToolReply> answer_to(const Json& request, Writer& writer) {
  STITCH_ASSIGN(const std::string tool, json_string(request, "tool"));
  STITCH_ASSIGN(const Json* arguments, json_object(request, "arguments"));
  STITCH_ASSIGN(const Json* settings, json_object(request, "settings"));
  STITCH_ASSIGN(ToolSettings read, tool_settings_from_json(*settings));
  STITCH_ASSIGN(driver::Resources resources, driver::find_resources());
  const ToolTable table = builtin_tools();
  const Tool* found = table.find(tool);
  ChannelProgress progress([&](const std::string& sentence) { writer.write({{"progress", sentence}}); },
                           found != nullptr && found->spec().is_judging);
  const driver::Services services{std::move(resources), progress};
  ToolContext context{std::move(read), services};
  return run_tool(table, tool, *arguments, context);
}

}  // namespace

int serve_tool(int channel) {
  const Result<Json> request = parse_json(first_line(channel), "a request");
  if (!request.has_value() || !request->is_object()) {
    fmt::print(stderr, "stitchcuda-tool: what was asked is no JSON object\n");
    return 1;
  }
  Writer writer(channel);
  const Result<ToolReply> reply = answer_to(*request, writer);
  writer.write(reply.has_value() ? Json{{"ok", to_json(*reply)}} : Json{{"error", error_json(reply.error())}});
  return 0;
}

}  // namespace stitch::tools
