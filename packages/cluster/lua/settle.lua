-- Gives a request's reservation back and books what it really used, in every account, once.
--
-- Atomic: no other request sees the reservation gone before the usage is booked. One call is needed for that, and so
-- that a settlement sent twice is booked once.
--
-- KEYS[2i-1]  hash  account i, as in spend.lua
-- KEYS[2i]    zset  account i: request ids by the moment their reservation lapses, ms
-- ARGV[1]     request id
-- ARGV[2]     tokens really used, whole, from 0
-- ARGV[3]     cost, billionths of a US dollar, whole, from 0
-- ARGV[4]     1 books a request that never had a reservation (it was admitted without budgets), 0 ignores it
-- ARGV[3i+2]  account i: `minute` or `term`
-- ARGV[3i+3]  account i: tokens per minute; -1 for a term
-- ARGV[3i+4]  account i: when the term ends, ms of the epoch; 0 for never, and for a minute
--
-- Replies: number of accounts booked; 0 when the request was settled before | error UNREADABLE: nothing was changed
-- Events:  none
-- Cost:    O(accounts + reservations that lapsed, at most 50 an account and call)
-- TTL:     as in spend.lua
-- Time:    Redis TIME, as in spend.lua
-- Caller:  src/budgets/redis-budgets.ts

local request, tokens, nanos, unreserved = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local now = now_ms()
local accounts = {}

for i = 1, #KEYS / 2 do
  local a = read_account(KEYS[2 * i - 1], KEYS[2 * i], ARGV[3 * i + 2], tonumber(ARGV[3 * i + 3]), now)
  if not a then return redis.error_reply('UNREADABLE value in ' .. KEYS[2 * i - 1]) end
  a.ends = tonumber(ARGV[3 * i + 4])
  accounts[i] = a
end

local booked = 0
for _, a in ipairs(accounts) do
  local field = 'o|' .. request
  write_lapsed(a, now)
  local mark = redis.call('HGET', a.book, field)
  local took_tokens, took_nanos = string.match(mark or '', '^(%d+)|(%d+)$')
  local lapsed = mark == 'lapsed'
  if took_tokens or lapsed or (unreserved and not mark) then
    booked = booked + 1
    if a.kind == 'minute' then
      -- The bucket of a lapsed reservation has paid the estimate; only a request without one pays in full now.
      local paid = took_tokens and tonumber(took_tokens) or (lapsed and tokens or 0)
      a.used = math.max(0, a.used + (tokens - paid) * UNITS)
    else
      a.rtokens = math.max(0, a.rtokens - tonumber(took_tokens or 0))
      a.rnanos = math.max(0, a.rnanos - tonumber(took_nanos or 0))
      a.tokens, a.nanos = a.tokens + tokens, a.nanos + nanos
    end
    if unreserved then
      -- Its reservation may still arrive late, and this settlement may be sent again: the id stays known.
      redis.call('HSET', a.book, field, 'settled')
      redis.call('ZADD', a.due, whole(now + DAY_MS), request)
    else
      redis.call('HDEL', a.book, field)
      redis.call('ZREM', a.due, request)
    end
    write_account(a, now)
    keep_account(a, a.ends, now)
  elseif #a.lapsed > 0 then
    write_account(a, now)
  end
end
return booked
