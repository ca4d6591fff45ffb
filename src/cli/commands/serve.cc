// SPDX-License-Identifier: Apache-2.0
// serve: the evaluation service, until it is told to end.
#include "http/server/serve.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/fs/files.h"
#include "base/fs/state_folder.h"
#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "base/process/last_will.h"
#include "cli/commands/commands.h"
#include "cli/commands/judge_endpoint.h"
#include "driver/requests/consult.h"
#include "http/server/access.h"
#include "service/routes/routes.h"
#include "service/run/local_workers.h"
#include "store/open/open_store.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenVariable = "STITCHCUDA_SERVE_TOKEN";
constexpr const char* kListenRemedy = "say --listen 8940, or --listen 0.0.0.0:8940 where other machines may ask";

// Told by signals, which may come as long as the process lives.
struct ServeEnd {
  Stop stop;
  std::atomic<bool> drains = false;
};

ServeEnd& serve_end() {
  static ServeEnd end;
  return end;
}

class ServeCommand {
 public:
  explicit ServeCommand(Invocation& invocation) : invocation_(invocation), given_(invocation.line().serve) {}

  Result<int> run();

 private:
  Result<void> read_places();
  Result<void> read_token();
  Result<void> open();
  service::AskJudge judge();
  void drain_until_over();
  void say(const std::string& sentence) { invocation_.reporter().fact("serve", sentence); }

  Invocation& invocation_;
  const ServeOptions& given_;
  fs::path state_;
  std::string token_place_;
  service::RouteOptions routes_;
  service::EvaluationsOptions options_;
  service::TaskList tasks_;
  std::unique_ptr<service::Evaluations> evaluations_;
};

Result<void> ServeCommand::read_places() {
  state_ = given_.state;
  if (state_.empty()) {
    STITCH_ASSIGN(const fs::path state, state_folder());
    state_ = state / "serve";
  }
  STITCH_TRY(make_directories(state_));
  options_.store_url = given_.store.empty() ? "sqlite:" + (fs::absolute(state_) / "jobs.db").string() : given_.store;
  STITCH_TRY(store::check_store_url(options_.store_url));
  STITCH_ASSIGN(options_.artefacts, farm::artefacts_of(options_.store_url, given_.artefacts));
  options_.journal = fs::absolute(state_) / "evaluations.db";
  options_.is_on_gpu = given_.is_on_gpu;
  options_.max_open = static_cast<size_t>(given_.queue);
  options_.profile = given_.reward;
  options_.limits.verify_s = given_.verify_seconds;
  options_.limits.compile_s = given_.compile_seconds;
  if (given_.is_on_gpu && given_.workers.value_or(0) > 0) {
    return failure(ErrorCode::kUsage, "workers of the service's own have no GPU", "",
                   "start 'stitchcuda work --class device' for each GPU, with the same --store");
  }
  return {};
}

Result<void> ServeCommand::read_token() {
  constexpr size_t kLeast = 16;
  const char* given = std::getenv(kTokenVariable);
  if (given != nullptr && *given != '\0') {
    routes_.token = given;
    token_place_ = kTokenVariable;
    ::unsetenv(kTokenVariable);  // no child of ours needs it
    return routes_.token.size() >= kLeast
               ? Result<void>()
               : failure(ErrorCode::kUsage, fmt::format("{} has fewer than {} characters", kTokenVariable, kLeast),
                         kTokenVariable, "set a longer one, or unset it: then one is made in a file");
  }
  fs::path file = invocation_.line().token_file;
  if (file.empty()) {
    STITCH_ASSIGN(const fs::path state, state_folder());
    file = state / "serve-token";
  }
  STITCH_ASSIGN(routes_.token, http::read_or_make_token(file));
  token_place_ = file.string();
  return {};
}

Result<void> ServeCommand::open() {
  STITCH_TRY(read_places());
  STITCH_TRY(read_token());
  if (given_.tasks.empty()) {
    return failure(ErrorCode::kUsage, "serve needs --tasks: what may be asked about", "",
                   "see 'stitchcuda serve --help'");
  }
  STITCH_ASSIGN(tasks_, service::TaskList::read({given_.tasks.begin(), given_.tasks.end()}));
  options_.judge = judge();
  STITCH_ASSIGN(evaluations_, service::Evaluations::open(options_, tasks_));
  return {};
}

// Asked here and not by workers: no key of this machine's user goes to them.
service::AskJudge ServeCommand::judge() {
  const CommandLine& line = invocation_.line();
  if (line.judge_url.empty()) {
    return {};
  }
  return [this, &line](const service::ServedTask& task, const std::vector<farm::PlacedFile>& candidate,
                       const Json& score) -> Result<Json> {
    driver::ConsultRequest request{.score = score, .program_text = task.text};
    const farm::Artefacts artefacts(fs::absolute(options_.artefacts));
    for (const farm::PlacedFile& file : candidate) {
      STITCH_ASSIGN(request.text[fs::path(file.place).lexically_relative("candidate").string()],
                    artefacts.get(file.digest));
    }
    request.judge = [&line](const std::string& prompt) {
      return ask_endpoint(line.judge_url, line.judge_model, prompt);
    };
    return driver::consult(request, invocation_.services());
  };
}

Result<int> ServeCommand::run() {
  if (given_.prints_openapi) {
    fmt::print("{}", service::openapi_text());
    return 0;
  }
  STITCH_ASSIGN(http::ServeOptions serving, http::read_address(given_.listen, kListenRemedy));
  constexpr int kMaxConnections = 2048;
  serving.max_connections = kMaxConnections;
  serving.limits.max_body_bytes = static_cast<uint64_t>(given_.max_body_megabytes) << 20;
  routes_.is_loopback = serving.address.starts_with("127.");
  STITCH_TRY(open());
  ServeEnd& end = serve_end();
  on_first_signal([&end](int signal) {
    end.drains = true;
    if (signal != SIGTERM) {
      end.stop.wish();
    }
  });
  std::error_code failed;
  const int count = given_.workers.value_or(given_.store.empty() && !given_.is_on_gpu ? 1 : 0);
  const std::unique_ptr<ForkServer> forks = count > 0 ? invocation_.start_forks() : nullptr;
  const farm::JobPlace place{.program = fs::read_symlink("/proc/self/exe", failed),
                             .artefacts = farm::Artefacts(fs::absolute(options_.artefacts)),
                             .forks = forks.get()};
  auto workers = std::make_unique<service::LocalWorkers>(count, options_.store_url, place,
                                                         [this](const std::string& sentence) { say(sentence); });
  std::thread drainer([this] { drain_until_over(); });
  service::Routes routes(*evaluations_, tasks_, routes_);
  const Result<void> served = http::serve(
      serving, [&](http::Exchange& exchange) { routes.answer(exchange); },
      [&](int port) {
        fmt::print(stderr, "listening on http://{}:{}; {} tasks; the token that clients send is in {}\n",
                   serving.address, port, tasks_.size(), token_place_);
      },
      end.stop);
  end.stop.wish();
  drainer.join();
  workers.reset();
  end_all_children();  // what a judge was asked is asked again at the next start
  STITCH_TRY(served);
  const size_t left = evaluations_->open_count();
  invocation_.reporter().result({{"schema", "stitchcuda.serve/1"}, {"open", left}},
                                left == 0
                                    ? std::string("ended, nothing is open")
                                    : fmt::format("ended; {} evaluations are open, and go on at the next start", left));
  return 0;
}

// After SIGTERM: nothing further is taken; once nothing is open, or the grace is over, the service ends.
void ServeCommand::drain_until_over() {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> over;
  constexpr std::chrono::milliseconds kLook{50};
  while (!serve_end().stop.is_wished()) {
    std::this_thread::sleep_for(kLook);
    if (!serve_end().drains) {
      continue;
    }
    evaluations_->drain();
    if (!over.has_value()) {
      say("drains: no further evaluation is taken");
      over = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * given_.grace_seconds));
    }
    if (evaluations_->open_count() == 0 || Clock::now() > *over) {
      serve_end().stop.wish();
    }
  }
}

}  // namespace

Result<int> run_serve(Invocation& invocation) { return ServeCommand(invocation).run(); }

}  // namespace stitch::cli
