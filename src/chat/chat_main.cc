// SPDX-License-Identifier: Apache-2.0
// stitchcuda-chat: holds the keys of endpoints and speaks HTTP for its parent, on the socket that it is given as
// descriptor 3, else on stdin and stdout. No other process of ours reads a key, and none may look into this one.
#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "chat/serve/serve.h"

int main(int argc, char**) {
  if (argc > 1) {
    fmt::print(stderr, "stitchcuda-chat takes no arguments: it is started by stitchcuda\n");
    return 2;
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(SIGPIPE, SIG_IGN);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  constexpr int kChannel = 3;
  struct stat facts {};
  const bool has_channel = ::fstat(kChannel, &facts) == 0 && S_ISSOCK(facts.st_mode);
  return stitch::chat::serve(has_channel ? kChannel : STDIN_FILENO, has_channel ? kChannel : STDOUT_FILENO);
}
