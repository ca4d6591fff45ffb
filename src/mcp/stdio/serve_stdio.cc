// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio/serve_stdio.h"

#include <fmt/format.h>

#include "mcp/stdio/line_reader.h"
#include "mcp/stdio/pipe_outlet.h"

namespace stitch::mcp {
namespace {

constexpr size_t kMaxLineBytes = 4u << 20;

}  // namespace

void serve_stdio(Server& server, int input, int output) {
  Stop ended;
  const auto outlet = std::make_shared<PipeOutlet>(output, ended);
  Session session(server);
  LineReader reader(input, kMaxLineBytes);
  while (const std::optional<LineReader::Line> line = reader.next(ended)) {
    if (line->was_too_long) {
      outlet->send(error_response(Json(), RpcError::kParse,
                                  fmt::format("a message of more than {} bytes is not read", kMaxLineBytes)));
    } else if (line->text.find_first_not_of(" \t") != std::string::npos) {
      session.take_text(line->text, outlet);
    }
  }
  ended.wish();  // who still writes an answer stops
}

}  // namespace stitch::mcp
