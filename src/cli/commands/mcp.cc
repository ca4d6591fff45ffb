// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "base/process/descriptor.h"
#include "cli/commands/commands.h"
#include "cli/options/reference/surroundings.h"
#include "cli/options/request.h"
#include "http/server/access.h"
#include "mcp/http/serve_http.h"
#include "mcp/stdio/serve_stdio.h"
#include "runs/store/run_store.h"
#include "tools/process/tool_process.h"

namespace stitch::cli {
namespace {

Result<tools::ToolSettings> tool_settings_of(const CommandLine& line) {
  STITCH_ASSIGN(const driver::Options options, options_of(line));
  tools::ToolSettings settings;
  std::error_code error;
  settings.is_confined = !line.root.empty();
  settings.cage = options.cage;
  settings.root =
      settings.is_confined ? std::filesystem::canonical(line.root, error) : std::filesystem::current_path(error);
  if (error || !std::filesystem::is_directory(settings.root, error)) {
    return failure(ErrorCode::kUsage, fmt::format("there is no folder {}", line.root.empty() ? "." : line.root),
                   line.root, "name a folder with --root");
  }
  return settings;
}

// Where the protocol goes; whatever else is printed to stdout goes to stderr from here on.
Result<Descriptor> protocols_own_output() {
  Descriptor output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10));
  if (!output.is_open() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("stdout cannot be used: {}", std::strerror(errno)), "",
                   "start it with stdin, stdout and stderr open");
  }
  return output;
}

Result<int> serve_http(mcp::Server& server, const CommandLine& line) {
  std::filesystem::path token_file = line.token_file;
  if (token_file.empty()) {
    STITCH_ASSIGN(const std::filesystem::path state, runs::state_folder());
    token_file = state / "mcp-token";
  }
  STITCH_ASSIGN(const std::string token, http::read_or_make_token(token_file));
  const auto listening = [&](int port) {
    fmt::print(stderr, "listening on http://127.0.0.1:{}/mcp; the token that clients send is in {}\n", port,
               token_file.string());
  };
  const Stop never;
  STITCH_TRY(mcp::serve_http(server, {.port = *line.http_port, .token = token}, listening, never));
  return 0;
}

}  // namespace

Result<int> run_mcp(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const tools::ToolSettings settings, tool_settings_of(line));
  STITCH_ASSIGN(const Descriptor output, protocols_own_output());
  const tools::ToolTable table = tools::builtin_tools();
  mcp::Server server{
      .table = table,
      .run = [settings](const std::string& tool, const Json& arguments, const mcp::TellProgress& tell,
                        const Stop& stop) { return tools::run_in_process(tool, arguments, settings, tell, stop); },
      .version = kVersion};
  server.times.hand_over = std::chrono::milliseconds(static_cast<int64_t>(1000 * line.job_after_seconds));
  if (line.http_port.has_value()) {
    return serve_http(server, line);
  }
  mcp::serve_stdio(server, STDIN_FILENO, output.get());
  return 0;
}

}  // namespace stitch::cli
