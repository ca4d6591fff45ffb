// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/serve_http.h"

#include "http/server/serve.h"
#include "mcp/http/answer_http.h"

namespace stitch::mcp {

Result<void> serve_http(Server& server, const HttpOptions& options, const std::function<void(int port)>& listening,
                        const Stop& stop) {
  Sessions sessions(server);
  http::ServeOptions serving;
  serving.port = options.port;
  serving.remedy = "name another port with --http, or 0 for any";
  STITCH_TRY(http::serve(
      serving, [&](http::Exchange& exchange) { answer_http(exchange, sessions, options.token); }, listening, stop));
  sessions.end_all();
  return {};
}

}  // namespace stitch::mcp
