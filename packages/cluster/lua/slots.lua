-- Runs one replica's slot operations in order: claims, releases, holds, drops of holds.
--
-- Atomic: a claim takes pool, ceiling, tenant cap and key cap together or nothing; a hold swaps a running slot for a
-- held one without a moment in which it is free. One call carries all operations of one tick of one replica.
--
-- KEYS[1]      hash  totals, wait marks, `h|<pool>` and `H` held sessions of a pool and in all, `s|<pool>` starving until
-- KEYS[2]      hash  what this replica holds, same limits; `e` its epoch
-- KEYS[3]      zset  replicas by expiry
-- KEYS[4]      zset  held sessions by the moment the hold runs out
-- KEYS[5]      hash  sessions: `<last finish, ms>|<holds in a row>`
-- KEYS[6]      zset  sessions by the moment they are forgotten
-- ARGV[1]      replica
-- ARGV[2]      its epoch: operations sent before its last reconcile are refused
-- ARGV[3]      channel for pools with a freed slot
-- ARGV[at]     from 4 on, each operation: C claim, R release, H hold, D drop the pool's holds
-- ARGV[at+1]   pool; all that D has
-- ARGV[at+2]   tenant
-- ARGV[at+3]   key; all that R has
-- ARGV[at+4]   C, H: session, empty for none
-- ARGV[at+5]   C, H: how long ago the request arrived, ms
-- ARGV[at+6]   C: pool size           H: ms between the session's last finish and this arrival, -1 when not known
-- ARGV[at+7]   C: ceiling             H: how long to hold, ms
-- ARGV[at+8]   C: tenant cap or -1    H: how long to remember the session, ms
-- ARGV[at+9]   C: key cap or -1       H: most held sessions of the pool
-- ARGV[at+10]  C: h held slot only, s starving, hs both, - neither    H: most holds in a row while others wait
--
-- Replies: {unregistered}: unknown, expired or of an older epoch, nothing was done; the replica must reconcile |
--          {done, now, one string per operation}:
--          C: G granted, R redeemed, then `:<ms>` since the session's last finish when it is known |
--             g, p, t, k denied by ceiling, pool, tenant, key, then `:<ms>` when it is only kept for another replica |
--             n no held slot
--          R: F freed, - not held          H: H held, N renewed and freed, F freed, - not held          D: D
-- Events:  the pool id on the released channel, for each pool with a freed slot while a replica is marked as waiting
-- Cost:    O(operations), plus O(holds) for a starving claim and a drop; at most 100 holds that ran out per call
-- TTL:     sessions are forgotten at their time; their two keys expire with the last of them; the rest has none
-- Time:    Redis TIME, so that holds, marks and expiry mean the same to every replica
-- Caller:  src/slots/redis-slots.ts

local now = now_ms()
local me, epoch, channel = ARGV[1], ARGV[2], ARGV[3]
local count, dirty, own, own_dirty = {}, {}, {}, {}
local marks, marks_dirty = {}, {}
local announced = {}
local ops = {}

-- 1. Read: the operations, then all their fields in one go.
local names, wanted = { 'H', 'g', 'w' }, { H = true, g = true, w = true }
local own_names = { 'e', 'g' }
local own_wanted = { g = true }
local function want(field)
  if not wanted[field] then
    wanted[field] = true
    names[#names + 1] = field
  end
end

local at = 4
while at <= #ARGV do
  local op = { kind = ARGV[at], pool = ARGV[at + 1] }
  if op.kind == 'D' then
    at = at + 2
  else
    op.limits = limits_of(op.pool, ARGV[at + 2], ARGV[at + 3])
    for i = 2, 4 do
      local limit = op.limits[i]
      want(limit)
      want(mark_field(limit))
      if not own_wanted[limit] then
        own_wanted[limit] = true
        own_names[#own_names + 1] = limit
      end
    end
    if op.kind == 'R' then
      at = at + 4
    else
      if ARGV[at + 4] ~= '' then op.hold = op.pool .. '|' .. ARGV[at + 2] .. '|' .. ARGV[at + 3] .. '|' .. ARGV[at + 4] end
      op.arrived = now - tonumber(ARGV[at + 5])
      op.a, op.b, op.c, op.d = tonumber(ARGV[at + 6]), tonumber(ARGV[at + 7]), tonumber(ARGV[at + 8]), tonumber(ARGV[at + 9])
      op.flags = ARGV[at + 10]
      at = at + 11
    end
  end
  ops[#ops + 1] = op
end

local expiry = redis.call('ZSCORE', KEYS[3], me)
local values = redis.call('HMGET', KEYS[2], unpack(own_names))
if not expiry or tonumber(expiry) <= now or values[1] ~= epoch then return { 'unregistered' } end
for i = 2, #own_names do own[own_names[i]] = tonumber(values[i] or 0) or 0 end

local function read_slots(fields)
  for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
    if string.byte(fields[i]) == 119 then
      marks[fields[i]] = value and read_mark(value, now) or false
    else
      count[fields[i]] = tonumber(value or 0) or 0
    end
  end
end
read_slots(names)
-- Totals below what this replica alone holds: they were lost, and only a reconcile brings them back.
if own.g > count.g then return { 'unregistered' } end

-- 2. Run. Counts and marks change in memory and are written once at the end.
local function total(field)
  if not count[field] then read_slots({ field }) end
  return count[field]
end

local function add(field, by)
  count[field] = math.max(0, total(field) + by)
  dirty[field] = true
end

local function add_own(limits, by)
  for i = 1, 4 do
    own[limits[i]] = own[limits[i]] + by
    own_dirty[limits[i]] = true
  end
end

local function mark_of(limit)
  local field = mark_field(limit)
  if marks[field] == nil then read_slots({ field }) end
  return marks[field], field
end

-- One slot is free again: who has waited longest gets the turn, and everybody who waits is told.
local function give_back(limits, pool)
  for i = 1, 4 do
    add(limits[i], -1)
    local mark, field = mark_of(limits[i])
    if mark and (mark.till > 0 or #mark.waits > 0) then
      announced[pool] = true
      if mark.till == 0 then
        local first = table.remove(mark.waits, 1)
        mark.turn, mark.till = first.name, now + TURN_MS
        marks_dirty[field] = true
      end
    end
  end
end

local function end_hold(id, pool)
  redis.call('ZREM', KEYS[4], id)
  add('h|' .. pool, -1)
  add('H', -1)
end

local function free_hold(id)
  local pool, tenant, key = parts_of_hold(id)
  end_hold(id, pool)
  give_back(limits_of(pool, tenant, key), pool)
end

local function drop_holds(pool)
  if total('h|' .. pool) == 0 then return end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
    if parts_of_hold(id) == pool then free_hold(id) end
  end
end

-- 0 when the limit has room for this replica; 1 when it is full; 2 when the room is kept for another, and until when.
local function room(limit, size)
  local used = total(limit)
  if used >= size then return 1 end
  local mark = mark_of(limit)
  if mark and mark.till > 0 and mark.turn ~= me and used + 1 >= size then return 2, mark.till end
  return 0
end

local DENIALS = { 'g', 'p', 't', 'k' }
local UNLIMITED = 9007199254740991

local function since_last_finish(op)
  local finish = op.hold and string.match(redis.call('HGET', KEYS[5], op.hold) or '', '^(%d+)|')
  if not finish or op.arrived < tonumber(finish) then return '' end
  return ':' .. whole(op.arrived - tonumber(finish))
end

local function claim(op)
  if string.find(op.flags, 's', 1, true) then
    count['s|' .. op.pool] = now + 1000
    dirty['s|' .. op.pool] = true
    drop_holds(op.pool)
  end
  if op.hold and count.H > 0 and redis.call('ZSCORE', KEYS[4], op.hold) then
    end_hold(op.hold, op.pool)
    add_own(op.limits, 1)
    return 'R' .. since_last_finish(op)
  end
  if string.find(op.flags, 'h', 1, true) then return 'n' end
  local sizes = { op.b, op.a, op.c < 0 and UNLIMITED or op.c, op.d < 0 and UNLIMITED or op.d }
  for i = 1, 4 do
    local answer, till = room(op.limits[i], sizes[i])
    if answer ~= 0 then
      -- A turn above the limit that denied is of no use to this replica.
      for j = 1, i - 1 do
        local mark, field = mark_of(op.limits[j])
        if mark and mark.turn == me then
          mark.turn, mark.till = '-', 0
          marks_dirty[field] = true
        end
      end
      local mark, field = mark_of(op.limits[i])
      if not mark then
        mark = read_mark(nil, now)
        marks[field] = mark
      end
      wait_in(mark, me, now)
      if mark.turn == me then mark.turn, mark.till = '-', 0 end
      marks_dirty[field] = true
      return DENIALS[i] .. (answer == 2 and ':' .. whole(till - now) or '')
    end
  end
  for i = 1, 4 do
    add(op.limits[i], 1)
    local mark, field = mark_of(op.limits[i])
    if mark then
      unmark(mark, me)
      if mark.turn == me then mark.turn, mark.till = '-', 0 end
      marks_dirty[field] = true
    end
  end
  add_own(op.limits, 1)
  return 'G' .. since_last_finish(op)
end

local function holds_all(limits)
  for i = 1, 4 do
    if own[limits[i]] < 1 then return false end
  end
  return true
end

local function release(op)
  if not holds_all(op.limits) then return '-' end
  add_own(op.limits, -1)
  give_back(op.limits, op.pool)
  return 'F'
end

local function is_awaited(limit)
  local mark = mark_of(limit)
  return mark and (mark.till > 0 or #mark.waits > 0)
end

local function hold(op)
  if not holds_all(op.limits) then return '-' end
  local gap, hold_ms, keep_ms, most_held, most_in_row = op.a, op.b, op.c, op.d, tonumber(op.flags)
  local finish, in_row = string.match(redis.call('HGET', KEYS[5], op.hold) or '', '^(%d+)|(%d+)$')
  in_row = tonumber(in_row or 0)
  if gap < 0 and finish then gap = op.arrived - tonumber(finish) end
  local waited_for = is_awaited('g') or is_awaited(op.limits[2])
  local stands = redis.call('ZSCORE', KEYS[4], op.hold)
  local h = 'h|' .. op.pool
  local may = gap >= 0 and gap <= hold_ms and hold_ms > 0 and total('s|' .. op.pool) <= now
    and (stands and total(h) <= most_held or total(h) < most_held) and not (waited_for and in_row >= most_in_row)
  add_own(op.limits, -1)
  local reply = 'F'
  if may then
    in_row = waited_for and in_row + 1 or 0
    redis.call('ZADD', KEYS[4], whole(now + hold_ms), op.hold)
    reply = stands and 'N' or 'H'
  else
    in_row = 0
  end
  if reply == 'H' then
    add(h, 1)
    add('H', 1)
  else
    give_back(op.limits, op.pool)
  end
  redis.call('HSET', KEYS[5], op.hold, whole(now) .. '|' .. in_row)
  redis.call('ZADD', KEYS[6], whole(now + keep_ms), op.hold)
  for _, key in ipairs({ KEYS[5], KEYS[6] }) do
    if redis.call('PTTL', key) < keep_ms then redis.call('PEXPIRE', key, keep_ms) end
  end
  return reply
end

if count.H > 0 then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 100)) do free_hold(id) end
end
local replies = { 'done', whole(now) }
for i, op in ipairs(ops) do
  local reply
  if op.kind == 'C' then
    reply = claim(op)
  elseif op.kind == 'R' then
    reply = release(op)
  elseif op.kind == 'H' then
    reply = hold(op)
  else
    drop_holds(op.pool)
    reply = 'D'
  end
  replies[i + 2] = reply
end

-- 3. Write.
local function write(key, changed, value_of)
  local set, gone = {}, {}
  for field in pairs(changed) do
    local value = value_of(field)
    if value then
      set[#set + 1] = field
      set[#set + 1] = value
    else
      gone[#gone + 1] = field
    end
  end
  call_in_chunks('HSET', key, set)
  call_in_chunks('HDEL', key, gone)
end
write(KEYS[1], dirty, function(field) return count[field] > 0 and whole(count[field]) or nil end)
write(KEYS[1], marks_dirty, function(field) return mark_text(marks[field]) end)
write(KEYS[2], own_dirty, function(field) return own[field] > 0 and whole(own[field]) or nil end)
for pool in pairs(announced) do redis.call('PUBLISH', channel, pool) end
return replies
