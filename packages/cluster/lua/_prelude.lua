-- Shared local functions, put before each script by `src/redis/scripts.ts`. Runs nothing by itself.

-- Milliseconds of the Unix epoch on the Redis clock: the only clock all replicas share.
local function now_ms()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

-- A whole number as Redis stores it; never in exponent form.
local function whole(n)
  return string.format('%.0f', n)
end

-- The stored whole number, 0 when absent, nil when the value is not a whole number below 2^53.
local function stored(v)
  if not v then return 0 end
  if not string.match(v, '^%-?%d+$') then return nil end
  local n = tonumber(v)
  if n > 9007199254740991 or n < -9007199254740991 then return nil end
  return n
end
