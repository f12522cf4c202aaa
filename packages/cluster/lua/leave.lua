-- Takes a replica off the books with everything it still holds.
--
-- Atomic: what it held is free for others in the same moment. One call is needed because a replica that is gone must
-- not leave a part behind that nobody owns.
--
-- KEYS[1]  hash    totals and marks, as in slots.lua
-- KEYS[2]  hash    what this replica holds; deleted
-- KEYS[3]  zset    replicas by expiry
-- KEYS[4]  string  its view; deleted
-- ARGV[1]  replica
-- ARGV[2]  channel for pools with a freed slot
-- ARGV[3]  channel for replicas that come and go
--
-- Replies: slots given back
-- Events:  its name on the membership channel; an empty message on the released channel when it gave slots back
-- Cost:    O(limits it holds some of)
-- TTL:     none
-- Time:    none needed: what leaves is gone whatever the time
-- Caller:  src/slots/redis-slots.ts

local flat = redis.call('HGETALL', KEYS[2])
local set, gone, freed = {}, {}, 0
for i = 1, #flat, 2 do
  local limit, n = flat[i], tonumber(flat[i + 1]) or 0
  if limit ~= 'e' then
    if limit == 'g' then freed = n end
    local left = (tonumber(redis.call('HGET', KEYS[1], limit) or 0) or 0) - n
    if left > 0 then
      set[#set + 1] = limit
      set[#set + 1] = whole(left)
    else
      gone[#gone + 1] = limit
    end
  end
end
call_in_chunks('HSET', KEYS[1], set)
call_in_chunks('HDEL', KEYS[1], gone)
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[2], KEYS[4])
redis.call('PUBLISH', ARGV[3], ARGV[1])
if freed > 0 then redis.call('PUBLISH', ARGV[2], '') end
return freed
