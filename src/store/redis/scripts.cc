// SPDX-License-Identifier: Apache-2.0
#include "store/redis/scripts.h"

#include <fmt/format.h>

#include "store/interface/store.h"

namespace stitch::store::internal {
namespace {

// Keys, all with one hash tag in their prefix, so that they are on one server of a cluster:
//   job:ID            hash: class run number state content result worker token deliveries ended
//   wants:ID          set of the runs that wait for its end      ended:RUN    zset of their ended jobs, in order
//   CLASS:lane:RUN    zset of waiting jobs by number             CLASS:leases zset of jobs by the end of their lease
//   CLASS:waiting, CLASS:leased, CLASS:turns   hashes by run     CLASS:totals hash       old   zset of ended jobs by
//   time device:RUN        the kind of device that its jobs run on    turn         a counter
constexpr const char* kPrelude = R"(
if redis.replicate_commands then redis.replicate_commands() end
local p = KEYS[1]
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function call(...) return redis.call(...) end
local function turn() return call('INCR', p .. 'turn') end
local function total(class, what, by) call('HINCRBY', p .. class .. ':totals', what, by) end
local function count(class, what, run, by)
  if call('HINCRBY', p .. class .. ':' .. what, run, by) <= 0 then call('HDEL', p .. class .. ':' .. what, run) end
  call('HINCRBY', p .. class .. ':totals', what, by)
end
local function forget_lane(class, run)
  if call('HEXISTS', p .. class .. ':waiting', run) == 0 and call('HEXISTS', p .. class .. ':leased', run) == 0 then
    call('HDEL', p .. class .. ':turns', run)
  end
end
local function tell_end(id, run)
  call('ZADD', p .. 'ended:' .. run, turn(), id)
  call('PUBLISH', p .. 'bell:' .. run, '1')
end
local function is_held(id, token)
  local job = call('HMGET', p .. 'job:' .. id, 'state', 'token')
  return job[1] == 'leased' and job[2] == token
end
local function end_lease(id, class, run)
  call('ZREM', p .. class .. ':leases', id)
  count(class, 'leased', run, -1)
end
local function finish(id, class, run, state, result)
  end_lease(id, class, run)
  call('HSET', p .. 'job:' .. id, 'state', state, 'result', result, 'ended', now)
  call('HDEL', p .. 'job:' .. id, 'content')
  call('ZADD', p .. 'old', now, id)
  total(class, state, 1)
  forget_lane(class, run)
  for _, each in ipairs(call('SMEMBERS', p .. 'wants:' .. id)) do tell_end(id, each) end
end
local function release(id, counted, why)
  local job = call('HMGET', p .. 'job:' .. id, 'class', 'run', 'number', 'deliveries', 'worker')
  local class, run, deliveries = job[1], job[2], tonumber(job[4])
  if counted and deliveries >= MAX_DELIVERIES then
    finish(id, class, run, 'parked', string.format(PARKED, deliveries, job[5], why))
    return
  end
  end_lease(id, class, run)
  if not counted then call('HINCRBY', p .. 'job:' .. id, 'deliveries', -1) end
  call('HSET', p .. 'job:' .. id, 'state', 'waiting')
  call('ZADD', p .. class .. ':lane:' .. run, job[3], id)
  count(class, 'waiting', run, 1)
  call('PUBLISH', p .. 'bell:' .. class, '1')
end
local function sweep(class, keep_ms)
  for _, id in ipairs(call('ZRANGEBYSCORE', p .. class .. ':leases', '-inf', '(' .. now, 'LIMIT', 0, 100)) do
    release(id, true, NOT_HEARD_OF)
    total(class, 'taken_over', 1)
  end
  for _, id in ipairs(call('ZRANGEBYSCORE', p .. 'old', '-inf', '(' .. (now - keep_ms), 'LIMIT', 0, 100)) do
    for _, run in ipairs(call('SMEMBERS', p .. 'wants:' .. id)) do call('ZREM', p .. 'ended:' .. run, id) end
    call('DEL', p .. 'job:' .. id, p .. 'wants:' .. id)
    call('ZREM', p .. 'old', id)
  end
end
)";

constexpr const char* kSubmit = R"(
local id, class, run, content, device = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local state = call('HGET', p .. 'job:' .. id, 'state')
if state then
  if call('SADD', p .. 'wants:' .. id, run) == 1 and (state == 'done' or state == 'parked') then tell_end(id, run) end
  return 'known'
end
if tonumber(call('HGET', p .. class .. ':totals', 'waiting') or '0') >= tonumber(ARGV[7]) then return 'full' end
local number = turn()
call('HSET', p .. 'job:' .. id, 'class', class, 'run', run, 'number', number, 'state', 'waiting', 'content', content,
     'deliveries', 0, 'token', 0, 'worker', '', 'result', '')
call('SADD', p .. 'wants:' .. id, run)
call('ZADD', p .. class .. ':lane:' .. run, number, id)
count(class, 'waiting', run, 1)
total(class, 'submitted', 1)
if device ~= '' then call('SET', p .. 'device:' .. run, device, 'NX', 'PX', ARGV[8]) end
call('PUBLISH', p .. 'bell:' .. class, '1')
return 'new'
)";

constexpr const char* kPull = R"(
local class, worker, device, lease_ms, keep_ms = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
sweep(class, keep_ms)
local best, best_leased, best_turn
for _, run in ipairs(call('HKEYS', p .. class .. ':waiting')) do
  local needed = call('GET', p .. 'device:' .. run)
  if not needed or device == '' or needed == device then
    local leased = tonumber(call('HGET', p .. class .. ':leased', run) or '0')
    local last = tonumber(call('HGET', p .. class .. ':turns', run) or '0')
    if not best or leased < best_leased or (leased == best_leased and last < best_turn) then
      best, best_leased, best_turn = run, leased, last
    end
  end
end
if not best then return nil end
local id = call('ZPOPMIN', p .. class .. ':lane:' .. best)[1]
local token = turn()
local deliveries = call('HINCRBY', p .. 'job:' .. id, 'deliveries', 1)
call('HSET', p .. 'job:' .. id, 'state', 'leased', 'token', token, 'worker', worker)
call('ZADD', p .. class .. ':leases', now + lease_ms, id)
count(class, 'waiting', best, -1)
count(class, 'leased', best, 1)
call('HSET', p .. class .. ':turns', best, token)
if device ~= '' then
  call('SET', p .. 'device:' .. best, device, 'NX')
  call('PEXPIRE', p .. 'device:' .. best, keep_ms)
end
return {id, token, best, call('HGET', p .. 'job:' .. id, 'content'), deliveries}
)";

constexpr const char* kBeat = R"(
local id = ARGV[2]
if not is_held(id, ARGV[3]) then return 0 end
call('ZADD', p .. call('HGET', p .. 'job:' .. id, 'class') .. ':leases', now + tonumber(ARGV[4]), id)
return 1
)";

// One that is asked again, since its answer was lost, has the same answer.
constexpr const char* kComplete = R"(
local id, token = ARGV[2], ARGV[3]
local job = call('HMGET', p .. 'job:' .. id, 'state', 'token', 'class', 'run')
if job[1] == 'done' and job[2] == token then return 1 end
if not is_held(id, token) then return 0 end
finish(id, job[3], job[4], 'done', ARGV[4])
return 1
)";

constexpr const char* kGiveBack = R"(
if not is_held(ARGV[2], ARGV[3]) then return 0 end
release(ARGV[2], ARGV[4] == '1', ARGV[5])
return 1
)";

constexpr const char* kEnded = R"(
local all = {}
for _, id in ipairs(call('ZRANGE', p .. 'ended:' .. ARGV[2], 0, tonumber(ARGV[3]) - 1)) do
  local job = call('HMGET', p .. 'job:' .. id, 'state', 'result', 'deliveries')
  for _, value in ipairs({id, job[1], job[2], job[3]}) do all[#all + 1] = value end
end
return all
)";

constexpr const char* kDrop = R"(
local function forget(id)
  local job = call('HMGET', p .. 'job:' .. id, 'state', 'class', 'run')
  if job[1] == 'waiting' then
    call('ZREM', p .. job[2] .. ':lane:' .. job[3], id)
    count(job[2], 'waiting', job[3], -1)
  elseif job[1] == 'leased' then
    end_lease(id, job[2], job[3])
  end
  if job[1] then forget_lane(job[2], job[3]) end
  call('DEL', p .. 'job:' .. id)
  call('ZREM', p .. 'old', id)
end
local run = ARGV[2]
for i = 3, #ARGV do
  call('SREM', p .. 'wants:' .. ARGV[i], run)
  call('ZREM', p .. 'ended:' .. run, ARGV[i])
  if call('EXISTS', p .. 'wants:' .. ARGV[i]) == 0 then forget(ARGV[i]) end
end
return 1
)";

constexpr const char* kCounts = R"(
sweep(ARGV[2], tonumber(ARGV[3]))
return call('HMGET', p .. ARGV[2] .. ':totals', 'waiting', 'leased', 'submitted', 'done', 'parked', 'taken_over')
)";

}  // namespace

RedisScripts redis_scripts() {
  const std::string constants =
      fmt::format("local MAX_DELIVERIES = {}\nlocal PARKED = [[{}]]\nlocal NOT_HEARD_OF = [[{}]]\n", kMaxDeliveries,
                  "%d workers took this job and none ended it; of the last, %s: %s", kNotHeardOf);
  const auto with_prelude = [&](const char* text) { return constants + kPrelude + text; };
  return {.submit = with_prelude(kSubmit),
          .pull = with_prelude(kPull),
          .beat = with_prelude(kBeat),
          .complete = with_prelude(kComplete),
          .give_back = with_prelude(kGiveBack),
          .ended = with_prelude(kEnded),
          .drop = with_prelude(kDrop),
          .counts = with_prelude(kCounts)};
}

}  // namespace stitch::store::internal
