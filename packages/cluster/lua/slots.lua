-- Runs one replica's slot operations in order: claims, releases, holds, drops of holds, withdrawals from waiting.
--
-- Atomic: a claim takes pool, ceiling, tenant cap and key cap together or nothing; a hold swaps a running slot for a
-- held one without a moment in which it is free. One call carries all operations of one tick of one replica.
--
-- KEYS[1]      hash  totals; marks, and in `W` until when there may be some; `h|<pool>` and `H` held sessions of a pool
--                    and in all; `s|<pool>` starving until
-- KEYS[2]      hash  what this replica holds, same limits; `e` its epoch
-- KEYS[3]      zset  replicas by expiry
-- KEYS[4]      zset  held sessions by the moment the hold runs out
-- KEYS[5]      hash  sessions: `<last finish, ms>|<holds in a row>`
-- KEYS[6]      zset  sessions by the moment they are forgotten
-- ARGV[1]      replica
-- ARGV[2]      its epoch: operations sent before its last reconcile are refused
-- ARGV[3]      channel for pools with a freed slot
-- ARGV[4]      number of owners: pool, tenant and key together, with the limits that claims of theirs name
-- ARGV[at]     from 5 on, first each owner: `<pool>|<tenant>|<key>`
-- ARGV[at+1]   its ceiling
-- ARGV[at+2]   its pool's size
-- ARGV[at+3]   its tenant cap or -1
-- ARGV[at+4]   its key cap or -1
-- ARGV[pos]    behind the owners each operation: C claim, S claim with a session or a flag, R release, H hold, each with the
--              number of its owner, from 1, as in `C1`; C and S then `:<further requests of the replica that wait for the
--              pool>` when there are any, as in `C1:3`; D drop holds; W withdraw: the replica has nothing to claim
-- ARGV[pos+1]  S, H: session, empty for none                  D: pool          W: pool, empty for the ceiling
-- ARGV[pos+2]  S, H: how long ago the request arrived, ms
-- ARGV[pos+3]  S: any of h held slot only, s starving, k frees the key's holds; - for none
--              H: ms between the session's last finish and this arrival, -1 when not known
-- ARGV[pos+4]  H: how long to hold, ms
-- ARGV[pos+5]  H: how long to remember the session, ms
-- ARGV[pos+6]  H: most held sessions of the pool
-- ARGV[pos+7]  H: most holds in a row while others wait
--
-- Replies: {unregistered}: unknown, expired or of an older epoch, nothing was done; the replica must reconcile |
--          {done, now, one answer per operation with a comma between, then `<pool>|<ran out>|<dropped>` for each pool that
--           lost holds unused}:
--          C, S: G granted, R redeemed, then `:<ms>` from the session's last finish to this arrival when it is known |
--                g, p, t, k denied by ceiling, pool, tenant, key, then `:<ms>` when it is only kept for another replica |
--                n no held slot
--          R: F freed, - not held          H: H held, N renewed and freed, F freed, - not held          D: D          W: W
-- Events:  the pool id on the released channel, for each pool with a freed slot while a replica is marked as waiting
-- Cost:    O(operations), plus O(holds) for a starving claim and a drop; at most 100 holds that ran out per call
-- TTL:     sessions are forgotten at their time; their two keys expire with the last of them, and the held ones' key long
--          after the last could have run out, for when nobody is left to free them; the rest has none
-- Time:    Redis TIME, so that holds, marks and expiry mean the same to every replica
-- Caller:  src/slots/redis-slots.ts

local now = now_ms()
local me, epoch, channel = ARGV[1], ARGV[2], ARGV[3]

-- 1. Read: the operations, then all their fields in one go. `count` and `own` change in memory and are written once.
local ops = {}
local count, before, names = { H = 0, W = 0, g = 0 }, {}, { 'H', 'W', 'g' }
local own, own_before, own_names = { g = 0 }, {}, { 'e', 'g' }
local function read_owner(at)
  local pool, tenant, key = string.match(ARGV[at], '^([^|]*)|([^|]*)|([^|]*)$')
  local limits = limits_of(pool, tenant, key)
  for i = 2, 4 do
    local limit = limits[i]
    if not count[limit] then
      count[limit] = 0
      names[#names + 1] = limit
    end
    if not own[limit] then
      own[limit] = 0
      own_names[#own_names + 1] = limit
    end
  end
  local sizes = { tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]) }
  return { pool = pool, key = ARGV[at] .. '|', limits = limits, sizes = sizes }
end

local owners, at = {}, 5
for i = 1, tonumber(ARGV[4]) do
  owners[i] = read_owner(at)
  at = at + 5
end

-- Claims and releases of one owner are alike: they share what was read.
local alike = {}
local function read_operation(pos)
  local text = ARGV[pos]
  local op = alike[text]
  if op then return op, pos + 1 end
  local kind, number, others = string.sub(text, 1, 1), tonumber(string.sub(text, 2)), 0
  if kind == 'D' or kind == 'W' then return { kind = kind, pool = ARGV[pos + 1] }, pos + 2 end
  if not number then
    number, others = string.match(text, '^.(%d+):(%d+)$')
    number, others = tonumber(number), tonumber(others)
  end
  local owner = owners[number]
  op = { kind = kind, pool = owner.pool, limits = owner.limits, sizes = owner.sizes, others = others }
  if kind == 'C' or kind == 'R' then
    alike[text] = op
    return op, pos + 1
  end
  op.key = owner.key
  if ARGV[pos + 1] ~= '' then op.hold = owner.key .. ARGV[pos + 1] end
  op.arrived = now - tonumber(ARGV[pos + 2])
  if kind == 'S' then
    op.flags = ARGV[pos + 3]
    return op, pos + 4
  end
  op.gap, op.hold_ms, op.keep_ms = tonumber(ARGV[pos + 3]), tonumber(ARGV[pos + 4]), tonumber(ARGV[pos + 5])
  op.most_held, op.most_in_row = tonumber(ARGV[pos + 6]), tonumber(ARGV[pos + 7])
  return op, pos + 8
end

local pos, last = at, #ARGV
while pos <= last do
  ops[#ops + 1], pos = read_operation(pos)
end

local expiry = redis.call('ZSCORE', KEYS[3], me)
local values = redis.call('HMGET', KEYS[2], unpack(own_names))
if not expiry or tonumber(expiry) <= now or values[1] ~= epoch then return { 'unregistered' } end
for i = 2, #own_names do
  local n = tonumber(values[i] or 0) or 0
  own[own_names[i]], own_before[own_names[i]] = n, n
end
values = redis.call('HMGET', KEYS[1], unpack(names))
for i = 1, #names do
  local n = tonumber(values[i] or 0) or 0
  count[names[i]], before[names[i]] = n, n
end
-- Totals below what this replica alone holds: they were lost, and only a reconcile brings them back.
if own.g > count.g then return { 'unregistered' } end

-- 2. Run.
local function total(field)
  local n = count[field]
  if not n then
    n = tonumber(redis.call('HGET', KEYS[1], field) or 0) or 0
    count[field], before[field] = n, n
  end
  return n
end

local function add(field, by)
  local n = (count[field] or total(field)) + by
  count[field] = n > 0 and n or 0
end

local function add_own(limits, by)
  for i = 1, 4 do own[limits[i]] = own[limits[i]] + by end
end

local marks, changed_marks = {}, {}
local may_have_marks = count.W > now
-- Without any, nothing needs to look.
local has_marks = may_have_marks

-- The mark of a limit, false when it has none.
local function mark_of(limit)
  local mark = marks[limit]
  if mark == nil then
    local text = may_have_marks and redis.call('HGET', KEYS[1], mark_field(limit))
    mark = text and read_mark(text, now) or false
    marks[limit] = mark
  end
  return mark
end

local function change_mark(limit)
  changed_marks[limit] = true
  has_marks = true
  count.W = now + WAIT_MS
end

if may_have_marks then
  local limits, fields = {}, {}
  for i = 3, #names do
    limits[#limits + 1] = names[i]
    fields[#fields + 1] = mark_field(names[i])
  end
  for i, text in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
    marks[limits[i]] = text and read_mark(text, now) or false
  end
end

-- One slot is free again: it is kept for who has waited longest, and everybody who waits is told.
local announced = {}
local function give_back(limits, pool)
  for i = 1, 4 do
    local limit = limits[i]
    add(limit, -1)
    if has_marks then
      local mark = mark_of(limit)
      if is_current(mark) then
        announced[pool] = true
        if give_turn(mark, now) then change_mark(limit) end
      end
    end
  end
end

local function end_hold(id, pool)
  redis.call('ZREM', KEYS[4], id)
  add('h|' .. pool, -1)
  add('H', -1)
end

-- Holds that nobody took, counted by pool in the order they went: run out, dropped early.
local RAN_OUT, DROPPED = 1, 2
local lost, lost_pools = {}, {}

local function free_hold(id, why)
  local pool, tenant, key = parts_of_hold(id)
  end_hold(id, pool)
  if not lost[pool] then
    lost[pool] = { 0, 0 }
    lost_pools[#lost_pools + 1] = pool
  end
  lost[pool][why] = lost[pool][why] + 1
  give_back(limits_of(pool, tenant, key), pool)
end

-- Frees the holds whose ids begin with `<pool>|`, or with `<pool>|<tenant>|<key>|`.
local function drop_holds(pool, beginning)
  if total('h|' .. pool) == 0 then return end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
    if string.sub(id, 1, #beginning) == beginning then free_hold(id, DROPPED) end
  end
end

local DENIALS = { 'g', 'p', 't', 'k' }

-- From a session's last finish to the arrival of its next step; nil when the step did not follow it.
local function gap_after(finish, op)
  local gap = op.arrived - tonumber(finish)
  return gap >= -FINISH_LAG_MS and math.max(gap, 0) or nil
end

local function since_last_finish(op)
  local finish = op.hold and string.match(redis.call('HGET', KEYS[5], op.hold) or '', '^(%d+)|')
  local gap = finish and gap_after(finish, op)
  return gap and ':' .. whole(gap) or ''
end

-- A turn of this replica, if it has one, is the next one's.
local function give_up(limit, pool)
  local mark = mark_of(limit)
  if mark and take_turn(mark, me) then
    if give_turn(mark, now) then announced[pool] = true end
    change_mark(limit)
  end
end

-- How many requests wait with a claim for the limit at a level: it tells of those for the pool, and so for the ceiling.
local function others_at(op, level)
  return level <= 2 and op.others or 0
end

-- The limit at `level` has no room for this replica: it waits there, and a turn above is of no use to it. `denied`: how many
-- claims of this call the limit has denied; `waits_for`: for how many slots this replica waits by its latest claim.
local denied, waits_for = {}, {}
local function deny(op, level, till)
  local limits = op.limits
  for i = 1, level - 1 do give_up(limits[i], op.pool) end
  local limit = limits[level]
  denied[limit] = (denied[limit] or 0) + 1
  local mark = mark_of(limit)
  if not mark then
    mark = read_mark(nil, now)
    marks[limit] = mark
  end
  take_turn(mark, me)
  waits_for[limit] = denied[limit] + others_at(op, level)
  stand(mark, me, waits_for[limit], now)
  change_mark(limit)
  return till and DENIALS[level] .. ':' .. whole(till - now) or DENIALS[level]
end

-- This replica has a slot under the limit at `level`: it waits there no more but for what waits with the claim.
local function serve(op, level)
  local limit = op.limits[level]
  local mark = marks[limit]
  waits_for[limit] = others_at(op, level)
  if take_turn(mark, me) or place_of(mark.waits, me) then stand(mark, me, waits_for[limit], now) end
  change_mark(limit)
end

-- Whether no limit is passed. One is after a replica came back with more than was on the books, or after a cut: then
-- nothing may start, and a slot that is held for a session is the first to be given up.
local function is_within(op)
  for i = 1, 4 do
    local size = op.sizes[i]
    if size >= 0 and count[op.limits[i]] > size then return false end
  end
  return true
end

local function claim(op)
  local limits, flags = op.limits, op.flags
  if flags then
    if string.find(flags, 's', 1, true) then
      total('s|' .. op.pool)
      count['s|' .. op.pool] = now + STARVING_MS
      drop_holds(op.pool, op.pool .. '|')
    end
    if string.find(flags, 'k', 1, true) then drop_holds(op.pool, op.key) end
    if op.hold and count.H > 0 and redis.call('ZSCORE', KEYS[4], op.hold) then
      if is_within(op) then
        end_hold(op.hold, op.pool)
        add_own(limits, 1)
        return 'R' .. since_last_finish(op)
      end
      free_hold(op.hold, DROPPED)
    end
    if string.find(flags, 'h', 1, true) then return 'n' end
  end
  for i = 1, 4 do
    local size = op.sizes[i]
    if size >= 0 then
      local used = count[limits[i]]
      if used >= size then return deny(op, i) end
      if has_marks then
        local mark = mark_of(limits[i])
        local till = mark and kept_till(mark, me, size - used)
        if till then return deny(op, i, till) end
      end
    end
  end
  for i = 1, 4 do
    local limit = limits[i]
    count[limit] = count[limit] + 1
    own[limit] = own[limit] + 1
    if has_marks and mark_of(limit) then serve(op, i) end
  end
  return op.hold and 'G' .. since_last_finish(op) or 'G'
end

local function holds_all(limits)
  return own[limits[1]] > 0 and own[limits[2]] > 0 and own[limits[3]] > 0 and own[limits[4]] > 0
end

local function release(op)
  if not holds_all(op.limits) then return '-' end
  add_own(op.limits, -1)
  give_back(op.limits, op.pool)
  return 'F'
end

local function is_awaited(limit)
  return is_current(mark_of(limit))
end

-- This replica waits for so many slots in all, and its turns beyond them are others'.
local function waits_for_at_most(limit, slots, pool)
  local mark = mark_of(limit)
  if not mark or turns_of(mark, me) <= slots then return end
  local place = place_of(mark.waits, me)
  if place then table.remove(mark.waits, place) end
  while turns_of(mark, me) > slots do give_up(limit, pool) end
end

local function withdraw(pool)
  local limit = pool == '' and 'g' or 'p|' .. pool
  local mark = mark_of(limit)
  local place = mark and place_of(mark.waits, me)
  if place then
    table.remove(mark.waits, place)
    change_mark(limit)
  end
  waits_for_at_most(limit, 0, pool)
end

local function is_starving(pool)
  local till = total('s|' .. pool)
  return till > now and till <= now + STARVING_MS
end

-- Forgets up to two sessions whose time has come: each hold adds one at most, so that they cannot pile up.
local function forget_some()
  local due = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', now, 'LIMIT', 0, 2)
  if #due == 0 then return end
  redis.call('ZREM', KEYS[6], unpack(due))
  redis.call('HDEL', KEYS[5], unpack(due))
end

local function hold(op)
  if not holds_all(op.limits) then return '-' end
  local gap, hold_ms, keep_ms, most_held, most_in_row = op.gap, op.hold_ms, op.keep_ms, op.most_held, op.most_in_row
  local finish, in_row = string.match(redis.call('HGET', KEYS[5], op.hold) or '', '^(%d+)|(%d+)$')
  in_row = tonumber(in_row or 0)
  if gap < 0 and finish then gap = gap_after(finish, op) or -1 end
  local waited_for = is_awaited('g') or is_awaited(op.limits[2])
  local stands = redis.call('ZSCORE', KEYS[4], op.hold)
  local h = 'h|' .. op.pool
  local may = gap >= 0 and gap <= hold_ms and hold_ms > 0 and not is_starving(op.pool)
    and (stands and total(h) <= most_held or total(h) < most_held) and not (waited_for and in_row >= most_in_row)
  add_own(op.limits, -1)
  local reply = 'F'
  if may then
    in_row = waited_for and in_row + 1 or 0
    redis.call('ZADD', KEYS[4], now + hold_ms, op.hold)
    if redis.call('PTTL', KEYS[4]) < 2 * MAX_HOLD_MS then redis.call('PEXPIRE', KEYS[4], 3 * MAX_HOLD_MS) end
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
  redis.call('ZADD', KEYS[6], now + keep_ms, op.hold)
  for _, key in ipairs({ KEYS[5], KEYS[6] }) do
    if redis.call('PTTL', key) < keep_ms then redis.call('PEXPIRE', key, keep_ms) end
  end
  forget_some()
  return reply
end

if count.H > 0 then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 100)) do
    free_hold(id, RAN_OUT)
  end
end
local answers = {}
for i = 1, #ops do
  local op = ops[i]
  local kind, reply = op.kind, nil
  if kind == 'C' or kind == 'S' then
    reply = claim(op)
  elseif kind == 'R' then
    reply = release(op)
  elseif kind == 'H' then
    reply = hold(op)
  elseif kind == 'D' then
    drop_holds(op.pool, op.pool .. '|')
    reply = 'D'
  else
    withdraw(op.pool)
    reply = 'W'
  end
  answers[i] = reply
end
for limit, slots in pairs(waits_for) do
  waits_for_at_most(limit, slots, string.match(limit, '^[ptk]|([^|]*)') or '')
end
local replies = { 'done', whole(now), table.concat(answers, ',') }
for _, pool in ipairs(lost_pools) do
  replies[#replies + 1] = table.concat({ pool, lost[pool][RAN_OUT], lost[pool][DROPPED] }, '|')
end

-- 3. Write what changed; a count of 0 is deleted.
local function write(key, values, was)
  local set, gone = {}, {}
  for field, value in pairs(values) do
    if value ~= was[field] then
      if value and value ~= 0 then
        set[#set + 1] = field
        set[#set + 1] = value
      else
        gone[#gone + 1] = field
      end
    end
  end
  call_in_chunks('HSET', key, set)
  call_in_chunks('HDEL', key, gone)
end
write(KEYS[1], count, before)
write(KEYS[2], own, own_before)
local texts = {}
for limit in pairs(changed_marks) do texts[mark_field(limit)] = mark_text(marks[limit]) or 0 end
write(KEYS[1], texts, {})
for pool in pairs(announced) do redis.call('PUBLISH', channel, pool) end
return replies
