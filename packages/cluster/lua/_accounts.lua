-- What `spend.lua` and `settle.lua` share: how an account is read, how a minute's bucket refills, how a reservation
-- that nobody settled lapses. Amounts in a bucket are in 1/60000 of a token, so that each millisecond refills a whole
-- number of units and nothing is lost to rounding.

local DAY_MS = 86400000
local UNITS = 60000
-- Most lapsed reservations of one account handled by one call; the rest waits for the next call.
local LAPSED_PER_CALL = 50

-- Units used up in a bucket at `now`. A changed limit keeps the used fraction of the bucket; a clock that stepped back
-- refills nothing.
local function bucket_used(used, at, tpm, cap, now)
  if tpm > 0 and tpm ~= cap then used = math.floor(used / tpm * cap) end
  if now > at then used = used - (now - at) * cap end
  if used < 0 then used = 0 end
  return used
end

-- Milliseconds until the bucket can pay `tokens`, 0 when it can. More than the whole bucket needs it full.
local function bucket_wait(used, cap, tokens)
  local need = tokens > cap and used or used + tokens * UNITS - cap * UNITS
  if need <= 0 then return 0 end
  return math.ceil(need / cap)
end

-- Reservations whose time has come: ids with what they took, 0 for one that lapsed before.
local function lapsed_of(book, due, now)
  local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, LAPSED_PER_CALL)
  local lapsed = {}
  for _, id in ipairs(ids) do
    local mark = redis.call('HGET', book, 'o|' .. id)
    local tokens, nanos = string.match(mark or '', '^(%d+)|(%d+)$')
    lapsed[#lapsed + 1] = { id = id, open = tokens ~= nil, tokens = tonumber(tokens or 0), nanos = tonumber(nanos or 0) }
  end
  return lapsed
end

-- Reads one account without changing it; nil when a stored number cannot be read.
local function read_account(book, due, kind, cap, now)
  local a = { book = book, due = due, kind = kind, cap = cap }
  if kind == 'minute' then
    local v = redis.call('HMGET', book, 'used', 'at', 'tpm')
    local used, at, tpm = stored(v[1]), stored(v[2]), stored(v[3])
    if not used or not at or not tpm then return nil end
    a.used = bucket_used(used, at, tpm, cap, now)
    -- The clock stepped back: counted from its new time on, or the bucket would stand still until it is there again.
    a.is_ahead = at > now
  else
    local v = redis.call('HMGET', book, 'tokens', 'nanos', 'rtokens', 'rnanos')
    a.tokens, a.nanos, a.rtokens, a.rnanos = stored(v[1]), stored(v[2]), stored(v[3]), stored(v[4])
    if not a.tokens or not a.nanos or not a.rtokens or not a.rnanos then return nil end
  end
  a.lapsed = lapsed_of(book, due, now)
  for _, one in ipairs(a.lapsed) do
    if kind == 'term' and one.open then
      a.rtokens, a.rnanos = math.max(0, a.rtokens - one.tokens), math.max(0, a.rnanos - one.nanos)
    end
  end
  return a
end

-- Takes lapsed reservations off the account. The id stays known for a day, so that a request that outlasts its
-- reservation is still booked when it settles, and only once.
local function write_lapsed(a, now)
  for _, one in ipairs(a.lapsed) do
    if one.open then
      redis.call('HSET', a.book, 'o|' .. one.id, 'lapsed')
      redis.call('ZADD', a.due, whole(now + DAY_MS), one.id)
    else
      redis.call('HDEL', a.book, 'o|' .. one.id)
      redis.call('ZREM', a.due, one.id)
    end
  end
end

-- Writes the balances back.
local function write_account(a, now)
  if a.kind == 'minute' then
    redis.call('HSET', a.book, 'used', whole(a.used), 'at', whole(now), 'tpm', whole(a.cap))
  else
    redis.call('HSET', a.book, 'tokens', whole(a.tokens), 'nanos', whole(a.nanos), 'rtokens', whole(a.rtokens),
      'rnanos', whole(a.rnanos))
  end
end

-- Gives the account's keys their lifetime; `ends` is the term's end, 0 for never.
local function keep_account(a, ends, now)
  if a.kind == 'minute' then
    redis.call('PEXPIRE', a.book, DAY_MS + 3600000)
    redis.call('PEXPIRE', a.due, DAY_MS + 3600000)
  elseif ends > 0 then
    local at = whole(math.max(ends, now) + 7 * DAY_MS)
    redis.call('PEXPIREAT', a.book, at)
    redis.call('PEXPIREAT', a.due, at)
  end
end
