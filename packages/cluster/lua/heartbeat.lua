-- Says that a replica lives, puts what it holds on the books, takes expired replicas off them, and adds the books up anew.
--
-- Atomic: the totals are right for every claim that runs after it. One call is needed because an expired replica must
-- vanish together with what it held, and the totals must be summed over parts that do not change meanwhile.
--
-- KEYS[1]       hash  totals and marks, as in slots.lua
-- KEYS[2]       hash  what this replica holds; replaced
-- KEYS[3]       zset  replicas by expiry
-- KEYS[4]       zset  held sessions by the moment the hold runs out
-- KEYS[5]       hash  sessions, as in slots.lua
-- KEYS[6]       zset  sessions by the moment they are forgotten
-- KEYS[i+6]     hash  what the i-th other replica holds
-- ARGV[1]       replica
-- ARGV[2]       how long it counts as living without another heartbeat, ms
-- ARGV[3]       its epoch from here on
-- ARGV[4]       channel for pools with a freed slot
-- ARGV[5]       channel for replicas that come and go
-- ARGV[6]       1 asks the others for a heartbeat, 0 does not
-- ARGV[7]       number of other replicas named
-- ARGV[i+7]     name of the i-th other replica
-- ARGV[at]      after the names: a limit of which it holds some
-- ARGV[at+1]    how many
--
-- Replies: {again, names of other replicas}: the caller did not name all others, nothing was done |
--          {stale}: the books are of a later epoch, this heartbeat was overtaken, nothing was done |
--          {done, now, 1 when it was registered and living else 0, slots reclaimed from expired replicas,
--           its own drift: slots the books had too many (+) or too few (-), drift of the totals in slots, held sessions,
--           slots in use in all, {`<pool>|<holds that ran out>`, ...}, then for each living replica its name and expiry}
-- Events:  its name on the membership channel when it was not living before or asks the others; the pool id on the
--          released channel for pools whose total fell while a replica is marked as waiting, an empty message when the
--          ceiling's did or this replica alone gave back
-- Cost:    O(limits this replica has in use); for the replica first by name O(all limits in use), about 2 microseconds each
-- TTL:     none on counters and replicas: a server that evicts must not lift limits silently
-- Time:    Redis TIME, so that no replica's own clock can expire another
-- Caller:  src/slots/redis-slots.ts

local now = now_ms()
local me, ttl, epoch, channel, others = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[7])

local key_of = {}
for i = 1, others do key_of[ARGV[i + 7]] = KEYS[i + 6] end
local members = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
local again, is_known = { 'again' }, true
for i = 1, #members, 2 do
  if members[i] ~= me then
    again[#again + 1] = members[i]
    if not key_of[members[i]] then is_known = false end
  end
end
if not is_known then return again end

-- 1. Read everything before the first write: a wrong type anywhere must leave the books as they were.
local sums, was, booked, mine = {}, {}, {}, {}
local was_living, reclaimed, living, expired, ahead, lowest = 0, 0, {}, {}, {}, me
for i = 1, #members, 2 do
  local name, till = members[i], tonumber(members[i + 1])
  if name == me then
    if till > now then was_living = 1 end
  elseif till > now then
    -- Further ahead than anybody sets it: the clock stepped back, and the replica must not outlive itself by that.
    if till > now + 2 * ttl then
      till = now + ttl
      ahead[#ahead + 1] = till
      ahead[#ahead + 1] = name
    end
    living[#living + 1] = name
    living[#living + 1] = whole(till)
    if name < lowest then lowest = name end
  else
    expired[#expired + 1] = name
    reclaimed = reclaimed + (tonumber(redis.call('HGET', key_of[name], 'g') or 0) or 0)
  end
end

local flat = redis.call('HGETALL', KEYS[2])
for i = 1, #flat, 2 do booked[flat[i]] = tonumber(flat[i + 1]) or 0 end
local booked_epoch = booked.e
booked.e = nil
if not booked_epoch then was_living = 0 end
if booked_epoch and booked_epoch > tonumber(epoch) then return { 'stale' } end
for at = others + 8, #ARGV, 2 do mine[ARGV[at]] = tonumber(ARGV[at + 1]) end
local holds = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. whole(now), now + MAX_HOLD_MS)
local ran_out = redis.call('ZCARD', KEYS[4]) - #holds
local lost, lost_pools = {}, {}
if ran_out > 0 then
  for _, range in ipairs({ { '-inf', now }, { '(' .. whole(now + MAX_HOLD_MS), '+inf' } }) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], range[1], range[2])) do
      local pool = parts_of_hold(id) or ''
      if not lost[pool] then lost_pools[#lost_pools + 1] = pool end
      lost[pool] = (lost[pool] or 0) + 1
    end
  end
end
local total = tonumber(redis.call('HGET', KEYS[1], 'g') or 0) or 0
redis.call('ZCARD', KEYS[6])
redis.call('HLEN', KEYS[5])

-- Adding up reads everything in use. One replica does it for all each interval, the first by name; besides it whoever
-- finds that something is not as its last heartbeat left it. Otherwise only what this replica holds may have drifted.
local own, own_gone = { 'e', epoch }, {}
local changed = {}
for limit, n in pairs(mine) do
  if booked[limit] ~= n then
    own[#own + 1] = limit
    own[#own + 1] = n
    changed[limit] = n - (booked[limit] or 0)
  end
end
for limit, n in pairs(booked) do
  if not mine[limit] then
    own_gone[#own_gone + 1] = limit
    changed[limit] = -n
  end
end
local adds_up = lowest == me or was_living == 0 or #expired > 0 or #ahead > 0 or ran_out > 0
  or (booked.g or 0) > total

local function reply_with(total_now, drift, held)
  local freed = {}
  for i, pool in ipairs(lost_pools) do freed[i] = pool .. '|' .. lost[pool] end
  local reply = { 'done', whole(now), was_living, reclaimed, (booked.g or 0) - (mine.g or 0), drift, held, total_now, freed,
    me, whole(now + ttl) }
  for _, value in ipairs(living) do reply[#reply + 1] = value end
  return reply
end

if not adds_up then
  local set, gone = {}, {}
  for limit, by in pairs(changed) do
    local n = (tonumber(redis.call('HGET', KEYS[1], limit) or 0) or 0) + by
    if limit == 'g' then total = math.max(0, n) end
    if n > 0 then
      set[#set + 1] = limit
      set[#set + 1] = n
    else
      gone[#gone + 1] = limit
    end
  end
  redis.call('ZADD', KEYS[3], now + ttl, me)
  call_in_chunks('HSET', KEYS[2], own)
  call_in_chunks('HDEL', KEYS[2], own_gone)
  call_in_chunks('HSET', KEYS[1], set)
  call_in_chunks('HDEL', KEYS[1], gone)
  if (booked.g or 0) > (mine.g or 0) then redis.call('PUBLISH', channel, '') end
  if ARGV[6] == '1' then redis.call('PUBLISH', ARGV[5], me) end
  return reply_with(total, 0, #holds)
end

for i = 1, #living, 2 do
  local part = redis.call('HGETALL', key_of[living[i]])
  for j = 1, #part, 2 do
    local limit = part[j]
    if limit ~= 'e' then sums[limit] = (sums[limit] or 0) + (tonumber(part[j + 1]) or 0) end
  end
end
for limit, n in pairs(mine) do sums[limit] = (sums[limit] or 0) + n end
local held = 0
for _, id in ipairs(holds) do
  local pool, tenant, key = parts_of_hold(id)
  if pool then
    for _, limit in ipairs(limits_of(pool, tenant, key)) do sums[limit] = (sums[limit] or 0) + 1 end
    sums['h|' .. pool] = (sums['h|' .. pool] or 0) + 1
    held = held + 1
  end
end
if held > 0 then sums.H = held end

-- 2. Compare with the old totals; what waits on a limit that fell is told. Fields begin with g, p, t, k, h or H (counts),
-- w (marks), s or W (moments).
local set, gone, awaited, is_awaited = {}, {}, {}, false
local old = redis.call('HGETALL', KEYS[1])
for i = 1, #old, 2 do
  local field, value = old[i], old[i + 1]
  local head = string.byte(field)
  if head == 119 then
    if mark_text(read_mark(value, now)) then
      awaited[field], is_awaited = true, true
    else
      gone[#gone + 1] = field
    end
  elseif head == 115 or head == 87 then
    local till = tonumber(value) or 0
    if till <= now or till > now + WAIT_MS then gone[#gone + 1] = field end
  else
    was[field] = tonumber(value) or 0
  end
end
local announced = {}
for limit, n in pairs(was) do
  local sum = sums[limit]
  if not sum then gone[#gone + 1] = limit end
  if is_awaited and n > (sum or 0) and limit ~= 'H' and awaited[mark_field(limit)] then
    announced[limit == 'g' and '' or string.match(limit, '^[ptk]|([^|]*)') or ''] = true
  end
end
for field, n in pairs(sums) do
  if was[field] ~= n then
    set[#set + 1] = field
    set[#set + 1] = n
  end
end

-- 3. Write.
for _, name in ipairs(expired) do
  redis.call('ZREM', KEYS[3], name)
  redis.call('DEL', key_of[name])
end
call_in_chunks('ZADD', KEYS[3], ahead)
redis.call('ZADD', KEYS[3], now + ttl, me)
call_in_chunks('HSET', KEYS[2], own)
call_in_chunks('HDEL', KEYS[2], own_gone)
call_in_chunks('HDEL', KEYS[1], gone)
call_in_chunks('HSET', KEYS[1], set)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '(' .. whole(now + MAX_HOLD_MS), '+inf')
local forgotten = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', now, 'LIMIT', 0, 5000)
call_in_chunks('HDEL', KEYS[5], forgotten)
call_in_chunks('ZREM', KEYS[6], forgotten)
for pool in pairs(announced) do redis.call('PUBLISH', channel, pool) end
if was_living == 0 or ARGV[6] == '1' then redis.call('PUBLISH', ARGV[5], me) end

local expected = (sums.g or 0) - (mine.g or 0) + (booked.g or 0) + reclaimed + ran_out
return reply_with(sums.g or 0, (was.g or 0) - expected, held)
