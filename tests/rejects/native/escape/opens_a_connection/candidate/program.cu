// SPDX-License-Identifier: Apache-2.0
// Asks a server for the answer.
#include <arpa/inet.h>
#include <sys/socket.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  return honest(call);
}
