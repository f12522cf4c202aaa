-- Asks whether every account of a request can pay its estimate and, unless only asked, takes it from all of them.
--
-- Atomic: all accounts pay or none does. One call is needed because two requests that each see room in one account
-- must not both take it.
--
-- KEYS[2i-1]  hash  account i: a minute's bucket (used, at, tpm) or a term's books (tokens, nanos, rtokens, rnanos),
--                   and in both `o|<request>`: what one open reservation took
-- KEYS[2i]    zset  account i: request ids by the moment their reservation lapses, ms
-- ARGV[1]     `check` changes no balance, `reserve` takes
-- ARGV[2]     request id
-- ARGV[3]     estimated tokens, whole, from 0
-- ARGV[4]     estimated cost, billionths of a US dollar, whole, from 0
-- ARGV[5]     how long a reservation lasts that nobody settles, ms
-- ARGV[4i+2]  account i: `minute` or `term`
-- ARGV[4i+3]  account i: tokens per minute, or the term's cap in tokens; -1 for no cap
-- ARGV[4i+4]  account i: the term's cap in billionths of a dollar; -1 for no cap, and for a minute
-- ARGV[4i+5]  account i: when the term ends, ms of the epoch; 0 for never, and for a minute
--
-- Replies: {ok} | {minute, retry after ms} | {term, number of the account, from 1} |
--          error UNREADABLE: a stored value is not a number and nothing was changed
-- Events:  none
-- Cost:    O(accounts + reservations that lapsed, at most 50 an account and call)
-- TTL:     a minute's keys 25 hours past the last use, a term's keys seven days past its end, none without an end
-- Time:    Redis TIME, so that replicas whose clocks differ share one bucket
-- Caller:  src/budgets/redis-budgets.ts

local request, tokens, nanos = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local now = now_ms()
local accounts = {}

for i = 1, #KEYS / 2 do
  local a = read_account(KEYS[2 * i - 1], KEYS[2 * i], ARGV[4 * i + 2], tonumber(ARGV[4 * i + 3]), now)
  if not a then return redis.error_reply('UNREADABLE value in ' .. KEYS[2 * i - 1]) end
  a.cap_nanos, a.ends = tonumber(ARGV[4 * i + 4]), tonumber(ARGV[4 * i + 5])
  accounts[i] = a
end
for _, a in ipairs(accounts) do
  if #a.lapsed > 0 or a.is_ahead then
    write_lapsed(a, now)
    write_account(a, now)
  end
end

-- A used-up term outranks a minute that refills: waiting would not help.
for i, a in ipairs(accounts) do
  if a.kind == 'term' and ((a.cap >= 0 and a.tokens + a.rtokens >= a.cap)
    or (a.cap_nanos >= 0 and a.nanos + a.rnanos >= a.cap_nanos)) then
    return { 'term', i }
  end
end
for _, a in ipairs(accounts) do
  local wait = a.kind == 'minute' and bucket_wait(a.used, a.cap, tokens) or 0
  if wait > 0 then return { 'minute', wait } end
end
if ARGV[1] ~= 'reserve' then return { 'ok' } end

for _, a in ipairs(accounts) do
  -- A repeated reservation of one request takes once.
  if redis.call('HSETNX', a.book, 'o|' .. request, whole(tokens) .. '|' .. whole(nanos)) == 1 then
    if a.kind == 'minute' then
      a.used = a.used + tokens * UNITS
    else
      a.rtokens, a.rnanos = a.rtokens + tokens, a.rnanos + nanos
    end
    redis.call('ZADD', a.due, whole(now + tonumber(ARGV[5])), request)
    write_account(a, now)
    keep_account(a, a.ends, now)
  end
end
return { 'ok' }
