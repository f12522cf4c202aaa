-- What the scripts on slots share: the names of fields, and the marks of replicas that wait for a slot.
--
-- The books: in `slots` a total for each limit (`g`, `p|<pool>`, `t|<pool>|<tenant>`, `k|<pool>|<key>`), in each
-- replica's `held` its part of them, in `hold` the held sessions. Totals = sum of the parts + held sessions.

-- How long a denial keeps a replica marked as waiting. Longer would announce slots to nobody; it must outlast the
-- longest pause between two tries (250 ms).
local WAIT_MS = 1000
-- How long a freed slot is kept for a replica: an announcement and a claim with 200 ms on the way each. Shorter, and a
-- replica that far from here gets next to nothing; longer, and the slots of one that is gone stay idle for longer.
local TURN_MS = 500

-- How long a starving claim keeps its pool from being held.
local STARVING_MS = 1000
-- How much later than the next step's arrival a finish may be written down and still count as before it: the client has
-- its answer before the finish has travelled here, and may ask again at another replica at once. Longer would take steps
-- that ran side by side for steps in a row.
local FINISH_LAG_MS = 250
-- The longest a slot is ever held.
local MAX_HOLD_MS = 60000

-- The mark that belongs to a limit: `w`, `w|<pool>`, `w|t|<pool>|<tenant>`, `w|k|<pool>|<key>`.
local function mark_field(limit)
  if limit == 'g' then return 'w' end
  if string.byte(limit) == 112 then return 'w|' .. string.sub(limit, 3) end
  return 'w|' .. limit
end

-- A stored mark without what has run out. `turns`: for whom a free slot is kept and until when, in the order the slots came
-- free; `waits`: who waits for how many slots more, longest waiting first. Stored as `<replica>|<until>|<slots>|...`, the
-- turns in front, with 0 slots. What lies further ahead than it was ever set is left from before the clock stepped back, and
-- counts as run out. Who let a turn run out waits no more: it is gone, or its next denial says otherwise.
local function read_mark(text, now)
  local mark, late = { turns = {}, waits = {} }, {}
  for name, till, slots in string.gmatch(text or '', '([^|]+)|(%d+)|(%d+)') do
    till, slots = tonumber(till), tonumber(slots)
    if slots == 0 then
      if till > now and till <= now + TURN_MS then
        mark.turns[#mark.turns + 1] = { name = name, till = till }
      else
        late[name] = true
      end
    elseif till > now and till <= now + WAIT_MS and not late[name] then
      mark.waits[#mark.waits + 1] = { name = name, till = till, slots = slots }
    end
  end
  return mark
end

-- Somebody waits or has a turn.
local function is_current(mark)
  return mark and (#mark.turns > 0 or #mark.waits > 0)
end

-- The mark as it is stored; nil when nobody waits and nobody has a turn.
local function mark_text(mark)
  if not is_current(mark) then return nil end
  local parts = {}
  for _, turn in ipairs(mark.turns) do parts[#parts + 1] = turn.name .. '|' .. whole(turn.till) .. '|0' end
  for _, wait in ipairs(mark.waits) do
    parts[#parts + 1] = wait.name .. '|' .. whole(wait.till) .. '|' .. whole(wait.slots)
  end
  return table.concat(parts, '|')
end

-- The place of a replica in a list of turns or waits; nil when it is not in it.
local function place_of(list, name)
  for i, entry in ipairs(list) do
    if entry.name == name then return i end
  end
end

local function turns_of(mark, name)
  local n = 0
  for _, turn in ipairs(mark.turns) do
    if turn.name == name then n = n + 1 end
  end
  return n
end

-- Ends a replica's oldest turn; false when it has none.
local function take_turn(mark, name)
  local place = place_of(mark.turns, name)
  if place then table.remove(mark.turns, place) end
  return place ~= nil
end

-- Keeps a slot for the longest waiting, which goes behind the others, or out when it waits for no more. False when nobody
-- waits.
local function give_turn(mark, now)
  local first = table.remove(mark.waits, 1)
  if not first then return false end
  mark.turns[#mark.turns + 1] = { name = first.name, till = now + TURN_MS }
  first.slots = first.slots - 1
  if first.slots > 0 then mark.waits[#mark.waits + 1] = first end
  return true
end

-- A replica waits for so many slots in all: for those that are not kept for it already it stands in line.
local function stand(mark, name, slots, now)
  local place, more = place_of(mark.waits, name), slots - turns_of(mark, name)
  if more <= 0 then
    if place then table.remove(mark.waits, place) end
    return
  end
  mark.waits[place or #mark.waits + 1] = { name = name, till = now + WAIT_MS, slots = more }
end

-- Until when all of `free` slots are kept from a replica; nil when one is not.
local function kept_till(mark, name, free)
  local tills = {}
  for _, turn in ipairs(mark.turns) do
    if turn.name ~= name then tills[#tills + 1] = turn.till end
  end
  return tills[#tills - free + 1]
end

-- The four limits that one running request counts against.
local function limits_of(pool, tenant, key)
  return { 'g', 'p|' .. pool, 't|' .. pool .. '|' .. tenant, 'k|' .. pool .. '|' .. key }
end

-- The names in a held session's id, `<pool>|<tenant>|<key>|<session>`.
local function parts_of_hold(id)
  return string.match(id, '^([^|]*)|([^|]*)|([^|]*)|')
end

-- Calls with any number of arguments: the interpreter's stack takes a few thousand at once.
local function call_in_chunks(command, key, args)
  for from = 1, #args, 1000 do
    redis.call(command, key, unpack(args, from, math.min(from + 999, #args)))
  end
end
