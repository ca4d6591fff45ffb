// SPDX-License-Identifier: Apache-2.0
// Hostile children. Each must fail for the reason that its layer gives; where this machine lacks the layer, the test
// says so and is skipped.
#include "sandbox/cage/cage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "base/fs/files.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kTimeoutMs = 60'000;

class CageTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 0);
    const Result<Layers> layers = machine_layers();
    ASSERT_TRUE(layers.has_value()) << layers.error().message;
    layers_ = *layers;
    if (layers_.isolation() == Isolation::kNone) {
      GTEST_SKIP() << "this machine allows no cage";
    }
  }

  static ChildOptions hostile(const std::string& verb, const std::string& argument = {}) {
    ChildOptions options;
    options.arguments = {STITCH_BINARY_DIR "/sandbox-hostile", verb, argument};
    return options;
  }

  // What it says of its attempt.
  static std::string attempt(const std::string& verb, const std::string& argument = {}, const CagePolicy& policy = {}) {
    const auto output = run_caged_child(hostile(verb, argument), policy, kTimeoutMs);
    if (!output.has_value()) {
      return "not started: " + output.error().message;
    }
    return output->standard_output + (output->exit.ok() ? "" : " (ended badly: " + output->standard_error + ")");
  }

  bool lacks(Layer layer) const { return !layers_.has(layer); }
  bool lacks_paths() const { return lacks(Layer::kFiles) && lacks(Layer::kLandlock); }
  // What opening a file outside meets.
  std::string no_such_file() const { return lacks(Layer::kFiles) ? "EACCES" : "ENOENT"; }
  // What reaching for another process meets.
  bool is_out_of_reach(const std::string& said) const { return said == "ESRCH" || said == "EPERM" || said == "EACCES"; }

  Layers layers_;
};

TEST_F(CageTest, ReadsNothingOutside) {
  if (lacks_paths()) {
    GTEST_SKIP() << "neither a root folder of its own nor Landlock here";
  }
  const auto folder = TemporaryDirectory::make("stitchcuda-cage-test");
  ASSERT_TRUE(folder.has_value());
  ::chmod(folder->path().c_str(), 0755);
  ASSERT_TRUE(write_file(folder->path() / "secret", "answer").has_value());
  EXPECT_EQ(attempt("read", (folder->path() / "secret").string()), no_such_file());
  EXPECT_EQ(attempt("list", folder->path().string()), no_such_file());
  EXPECT_EQ(attempt("read", "/etc/passwd"), no_such_file());
  EXPECT_EQ(attempt("list", "/root"), no_such_file());
}

TEST_F(CageTest, APolicyWithoutACageReadsAllAndChangesNoOther) {
  const CagePolicy bare{.mode = CageMode::kNone};
  for (const CagePolicy& policy : {CagePolicy{}, bare, CagePolicy{}}) {
    const std::string said = attempt("read", "/etc/passwd", policy);
    EXPECT_EQ(said == no_such_file(), policy.mode == CageMode::kCaged && !lacks_paths()) << said;
  }
}

TEST_F(CageTest, ARequestIsToldWhatKeepsItsCandidatesIn) {
  const auto caged = confine_request(CageMode::kCaged);
  const auto bare = confine_request(CageMode::kNone);
  ASSERT_TRUE(caged.has_value() && bare.has_value());
  EXPECT_EQ(caged->mode, CageMode::kCaged);
  EXPECT_EQ(caged->mark.empty(), layers_.isolation() == Isolation::kFull);
  EXPECT_EQ(bare->mode, CageMode::kNone);
  EXPECT_EQ(bare->mark, "none: --unsafe-no-sandbox");
}

TEST_F(CageTest, ReadsWhatItsPolicyNamesAndNothingBeside) {
  const auto folder = TemporaryDirectory::make("stitchcuda-cage-test");
  ASSERT_TRUE(folder.has_value());
  ::chmod(folder->path().c_str(), 0755);
  ASSERT_TRUE(write_file(folder->path() / "own", "candidate").has_value());
  ASSERT_TRUE(write_file(folder->path() / "other", "candidate").has_value());
  CagePolicy policy;
  policy.readable = {folder->path() / "own"};
  EXPECT_EQ(attempt("read", (folder->path() / "own").string(), policy), "done");
  if (!lacks_paths()) {
    EXPECT_EQ(attempt("read", (folder->path() / "other").string(), policy), no_such_file());
    EXPECT_NE(attempt("write", (folder->path() / "own").string(), policy), "done");
    attempt("write", (folder->path() / "new").string(), policy);  // at most into a /tmp of its own
    EXPECT_FALSE(fs::exists(folder->path() / "new"));
  }
}

// As the interpreter of a virtual environment is one, to a folder with a longer name.
TEST_F(CageTest, ShowsALinkInAFolderThatIsShown) {
  const auto folder = TemporaryDirectory::make("stitchcuda-cage-test");
  ASSERT_TRUE(folder.has_value());
  ::chmod(folder->path().c_str(), 0755);
  const fs::path linked = folder->path() / "venv" / "python";
  const fs::path home = folder->path() / "where_the_interpreter_is_at_home";
  fs::create_directory(linked.parent_path());
  fs::create_directory(home);
  ASSERT_TRUE(write_file(home / "python3", "candidate").has_value());
  fs::create_symlink(home / "python3", linked);
  CagePolicy policy;
  policy.readable = {linked.parent_path(), linked, home};
  EXPECT_EQ(attempt("read", linked.string(), policy), "done");
}

TEST_F(CageTest, WritesOnlyWhereItMay) {
  if (lacks_paths()) {
    GTEST_SKIP() << "neither a root folder of its own nor Landlock here";
  }
  for (const char* path : {"/usr/bin/planted", "/planted", "/dev/planted", "/proc/sys/kernel/core_pattern"}) {
    const std::string said = attempt("write", path);
    EXPECT_TRUE(said == "EROFS" || said == "EACCES" || said == "ENOENT" || said == "EPERM") << path << ": " << said;
  }
  const auto folder = TemporaryDirectory::make("stitchcuda-cage-test");
  ASSERT_TRUE(folder.has_value());
  CagePolicy policy;
  policy.writable = {folder->path()};
  EXPECT_EQ(attempt("write", (folder->path() / "made").string(), policy), "done");
  struct stat status {};
  ASSERT_EQ(::stat((folder->path() / "made").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, ::geteuid()) << "what it made is ours again";
}

// CUDA's driver does, and fails where it cannot.
TEST_F(CageTest, NamesItsThreadsWhereItMayUseTheGpu) {
  CagePolicy policy;
  policy.gpu = true;
  if (layers_.has(Layer::kFiles) && lacks(Layer::kProcesses) && lacks(Layer::kLandlock)) {
    GTEST_SKIP() << "others' entries of /proc would be open to it";
  }
  EXPECT_EQ(attempt("name", "a name", policy), "done");
  for (const char* path : {"/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/proc/sys/net/ipv4/ip_forward"}) {
    EXPECT_NE(attempt("write", path, policy), "done") << path;
  }
  EXPECT_TRUE(lacks_paths() || attempt("name", "a name") != "done");
}

TEST_F(CageTest, ItsTmpIsItsOwnAndEnds) {
  if (lacks(Layer::kFiles)) {
    GTEST_SKIP() << "no root folder of its own here";
  }
  CagePolicy policy;
  policy.scratch_bytes = uint64_t{1} << 20;
  EXPECT_EQ(attempt("fill", "/tmp/much", policy), "ENOSPC");
  EXPECT_FALSE(fs::exists("/tmp/much"));
}

TEST_F(CageTest, MakesNoCodeWhereItMayNot) {
  if (lacks(Layer::kSystemCalls)) {
    GTEST_SKIP() << "no filter on system calls here";
  }
  CagePolicy policy;
  for (const char* way : {"anonymous", "changed", "unnamed", "implied"}) {
    EXPECT_EQ(attempt("code", way, policy), "done") << way;
  }
  policy.may_make_code = false;
  for (const char* way : {"anonymous", "changed", "unnamed"}) {
    EXPECT_EQ(attempt("code", way, policy), "EACCES") << way;
  }
  EXPECT_EQ(attempt("code", "implied", policy), "EPERM");
}

TEST_F(CageTest, RunsNoCodeThatItWroteNorOfData) {
  if (lacks(Layer::kFiles) || layers_.maker == Maker::kBubblewrap) {
    GTEST_SKIP() << "no mounts of ours here";
  }
  const auto folder = TemporaryDirectory::make("stitchcuda-cage-test");
  ASSERT_TRUE(folder.has_value());
  ::chmod(folder->path().c_str(), 0755);
  fs::create_directory(folder->path() / "candidate");
  fs::create_directory(folder->path() / "home");
  for (const char* name : {"named", "not_named"}) {
    ASSERT_TRUE(write_file(folder->path() / "candidate" / name, std::string(4096, 'x')).has_value());
  }
  CagePolicy policy;
  policy.data = {folder->path() / "candidate"};
  policy.readable = {folder->path() / "candidate" / "named"};
  policy.writable = {folder->path() / "home"};
  EXPECT_EQ(attempt("code", (folder->path() / "candidate" / "named").string(), policy), "done");
  EXPECT_EQ(attempt("code", (folder->path() / "candidate" / "not_named").string(), policy), "EPERM");
  EXPECT_EQ(attempt("read", (folder->path() / "candidate" / "not_named").string(), policy), "done");
  EXPECT_EQ(attempt("write_code", (folder->path() / "home" / "made").string(), policy), "EPERM");
  EXPECT_EQ(attempt("write_code", "/tmp/made", policy), "EPERM");
  policy.may_start_programs = true;  // a compiler
  EXPECT_EQ(attempt("write_code", (folder->path() / "home" / "made").string(), policy), "done");
}

TEST_F(CageTest, OpensNoSocket) {
  if (lacks(Layer::kSystemCalls)) {
    GTEST_SKIP() << "no filter on system calls here";
  }
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG}) {
    EXPECT_EQ(attempt("socket", std::to_string(family)), "EACCES") << "family " << family;
  }
}

TEST_F(CageTest, ReachesNoListenerOfThisMachine) {
  if (lacks(Layer::kSystemCalls) && lacks(Layer::kProcesses)) {
    GTEST_SKIP() << "neither a network of its own nor a filter on system calls here";
  }
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string said = attempt("connect", std::to_string(ntohs(address.sin_port)));
  EXPECT_TRUE(said == "EACCES" || said == "ENETUNREACH") << said;
}

TEST_F(CageTest, TouchesNoOtherProcess) {
  if (lacks(Layer::kProcesses) && lacks(Layer::kSystemCalls)) {
    GTEST_SKIP() << "neither processes of its own nor a filter on system calls here";
  }
  // This process, the one outside the cage, and the first of all.
  for (const std::string& pid : {std::to_string(::getpid()), std::to_string(::getppid()), std::string("1")}) {
    EXPECT_PRED1([this](const std::string& said) { return is_out_of_reach(said); }, attempt("trace", pid)) << pid;
    EXPECT_PRED1([this](const std::string& said) { return is_out_of_reach(said); }, attempt("memory", pid)) << pid;
  }
  EXPECT_PRED1([this](const std::string& said) { return is_out_of_reach(said); },
               attempt("kill", std::to_string(::getpid())));
}

TEST_F(CageTest, SeesNoOtherProcessInProc) {
  if (lacks_paths()) {
    GTEST_SKIP() << "neither a root folder of its own nor Landlock here";
  }
  for (const char* what : {"environ", "mem", "maps", "cmdline"}) {
    const std::string path = "/proc/" + std::to_string(::getpid()) + "/" + what;
    const std::string said = attempt("read", path);
    EXPECT_TRUE(said == "ENOENT" || said == "EACCES" || said == "EPERM") << path << ": " << said;
  }
}

TEST_F(CageTest, MakesNoNamespaceAndCallsNoOddCorner) {
  if (lacks(Layer::kSystemCalls)) {
    GTEST_SKIP() << "no filter on system calls here";
  }
  EXPECT_EQ(attempt("unshare"), "EPERM");
  for (const long number : {SYS_bpf, SYS_keyctl, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_mount,
                            SYS_init_module, SYS_kexec_load, SYS_ptrace, SYS_setns, SYS_shmget, SYS_clock_settime}) {
    EXPECT_EQ(attempt("call", std::to_string(number)), "EPERM") << "system call " << number;
  }
}

TEST_F(CageTest, AWorkerStartsNoOtherProgram) {
  if (lacks(Layer::kLandlock)) {
    GTEST_SKIP() << "no Landlock here";
  }
  EXPECT_EQ(attempt("run", "/usr/bin/env"), "EACCES");
}

TEST_F(CageTest, AWorkerStartsNoProcess) {
  if (lacks(Layer::kSystemCalls)) {
    GTEST_SKIP() << "no filters on system calls here";
  }
  for (const long number : {SYS_fork, SYS_vfork, SYS_clone}) {  // clone with flags of 0: no thread
    const auto output = run_caged_child(hostile("call", std::to_string(number)), {}, kTimeoutMs);
    ASSERT_TRUE(output.has_value()) << output.error().message;
    EXPECT_EQ(output->exit.signal, SIGSYS) << number;
  }
  CagePolicy driver;
  driver.gpu = true;  // may try, and goes on
  EXPECT_EQ(attempt("call", std::to_string(SYS_fork), driver), "EPERM");
}

TEST_F(CageTest, AForkBombEnds) {
  if (::geteuid() == 0 && lacks(Layer::kUser)) {
    GTEST_SKIP() << "root without a user of its own has no limit of processes";
  }
  CagePolicy policy;
  policy.process_count = 40;
  policy.may_start_programs = true;
  EXPECT_EQ(attempt("bomb", "20000", policy), "EAGAIN");
}

TEST_F(CageTest, ADaemonEndsWithItsProgram) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  ChildOptions options = hostile("daemon");
  options.descriptors = {{write_end.get(), 3}};
  CagePolicy policy;
  policy.may_start_programs = true;
  const auto output = run_caged_child(options, policy, kTimeoutMs);
  write_end.reset();
  ASSERT_TRUE(output.has_value()) << output.error().message;
  EXPECT_EQ(output->standard_output, "done");
  pollfd polled{.fd = read_end.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&polled, 1, 5000), 1) << "the daemon holds the pipe: it lives";
}

TEST_F(CageTest, HasAnEnvironmentOfItsOwn) {
  ::setenv("STITCH_TEST_API_KEY", "secret", 1);
  ::setenv("LD_PRELOAD_OF_TEST", "x", 1);
  const std::string names = attempt("environment");
  EXPECT_EQ(names.find("STITCH"), std::string::npos) << names;
  EXPECT_EQ(names.find("PRELOAD"), std::string::npos) << names;
}

TEST_F(CageTest, RunsAsAnotherUserThanRoot) {
  if (lacks(Layer::kUser)) {
    GTEST_SKIP() << "no user of its own here";
  }
  EXPECT_NE(attempt("user"), "0");
}

TEST_F(CageTest, TellsHowItsProgramEnded) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL, SIGFPE}) {
    const auto output = run_caged_child(hostile("raise", std::to_string(signal)), {}, kTimeoutMs);
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(output->exit.signal, signal);
  }
}

TEST_F(CageTest, AProgramThatIsNotThereIsAnErrorAndNoVerdict) {
  const auto output = run_caged_child({.arguments = {"/nonexistent/program"}}, {}, kTimeoutMs);
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().code, ErrorCode::kEnvironment);
}

TEST_F(CageTest, EndsWithWhoeverHoldsIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  CagePolicy policy;
  policy.may_start_programs = true;
  ChildOptions options{.arguments = {"/bin/sh", "-c", "sleep 600 & sleep 600"}};
  options.descriptors = {{write_end.get(), 3}};
  {
    const auto child = start_caged(options, policy);
    ASSERT_TRUE(child.has_value()) << child.error().message;
    write_end.reset();
  }
  pollfd polled{.fd = read_end.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&polled, 1, 5000), 1);
}

}  // namespace
}  // namespace stitch::sandbox
