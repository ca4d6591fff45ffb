// SPDX-License-Identifier: Apache-2.0
// Loaded into the supervisor by LD_PRELOAD, and into nothing that it starts. STITCH_TEST_CALLS is one of
//   killed:N      SIGKILL in place of the N-th frame that it sends to a keeper or worker
//   disk_full:N   its N-th write to a file on disk and all later ones find the disk full; 0: none does
//   clock_back:0  the wall clock goes back by an hour each time it is read
// When it ends it adds a line "FRAMES WRITES" to the file STITCH_TEST_COUNTS.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// Plain data: calls come before any constructor of ours has run.
char wanted_kind[32];
int wanted_number = 0;
std::atomic<int> frames{0};
std::atomic<int> writes{0};
std::atomic<int> readings{0};

__attribute__((constructor)) void begin() {
  const char* asked = std::getenv("STITCH_TEST_CALLS");
  const char* colon = asked == nullptr ? nullptr : std::strchr(asked, ':');
  if (colon != nullptr) {
    std::strncpy(wanted_kind, asked, std::min<size_t>(static_cast<size_t>(colon - asked), sizeof(wanted_kind) - 1));
    wanted_number = std::atoi(colon + 1);
  }
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("STITCH_TEST_CALLS");
}

bool wants(const char* kind) { return std::strcmp(wanted_kind, kind) == 0; }

__attribute__((destructor)) void end() {
  const char* path = std::getenv("STITCH_TEST_COUNTS");
  if (FILE* file = path == nullptr ? nullptr : std::fopen(path, "a")) {
    std::fprintf(file, "%d %d\n", frames.load(), writes.load());
    std::fclose(file);
  }
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// A regular file that is no memory: those have no path.
bool is_on_disk(int descriptor) {
  struct stat status {};
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof(path));
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && length > 0 &&
         std::strncmp(path, "/memfd:", 7) != 0;
}

bool finds_disk_full(int descriptor) {
  const int saved = errno;
  const bool counts = is_on_disk(descriptor);
  errno = saved;
  if (!counts) {
    return false;
  }
  const int number = ++writes;
  if (wants("disk_full") && wanted_number > 0 && number >= wanted_number) {
    errno = ENOSPC;
    return true;
  }
  return false;
}

}  // namespace

extern "C" ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t)>("write");
  return finds_disk_full(descriptor) ? -1 : call(descriptor, bytes, size);
}

extern "C" ssize_t writev(int descriptor, const iovec* pieces, int count) {
  static const auto call = real<ssize_t (*)(int, const iovec*, int)>("writev");
  return finds_disk_full(descriptor) ? -1 : call(descriptor, pieces, count);
}

extern "C" ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return finds_disk_full(descriptor) ? -1 : call(descriptor, bytes, size, offset);
}

extern "C" ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  static const auto call = real<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  if (++frames == wanted_number && wants("killed")) {
    ::raise(SIGKILL);
  }
  return call(descriptor, message, flags);
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto call = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int done = call(clock, time);
  if (clock == CLOCK_REALTIME && wants("clock_back")) {
    time->tv_sec -= 3600L * ++readings;
  }
  return done;
}

extern "C" time_t time(time_t* into) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) {
    *into = now.tv_sec;
  }
  return now.tv_sec;
}
