-- What the scripts on slots share: the names of fields, and the marks of replicas that wait for a slot.
--
-- The books: in `slots` a total for each limit (`g`, `p|<pool>`, `t|<pool>|<tenant>`, `k|<pool>|<key>`), in each
-- replica's `held` its part of them, in `hold` the held sessions. Totals = sum of the parts + held sessions.

-- How long a denial keeps a replica marked as waiting. Longer would announce slots to nobody; it must outlast the
-- longest pause between two tries (250 ms).
local WAIT_MS = 1000
-- How long a freed slot is kept for the replica that has waited longest. It must cover an announcement and a claim on
-- a slow link; longer would leave a slot idle whose replica is gone.
local TURN_MS = 250

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

-- A stored mark without what has run out. `turn` may claim until `till`; `waits` are the others, longest waiting
-- first. Stored as `<turn>|<till>|<replica>|<until>|...`, with `-` and 0 when nobody has the turn. What lies further ahead
-- than it was ever set is left from before the clock stepped back, and counts as run out.
local function read_mark(text, now)
  local mark = { turn = '-', till = 0, waits = {} }
  local is_first = true
  for name, till in string.gmatch(text or '', '([^|]+)|(%d+)') do
    till = tonumber(till)
    if is_first then
      if till > now and till <= now + TURN_MS then mark.turn, mark.till = name, till end
      is_first = false
    elseif till > now and till <= now + WAIT_MS then
      mark.waits[#mark.waits + 1] = { name = name, till = till }
    end
  end
  return mark
end

-- The mark as it is stored; nil when nobody waits and nobody has the turn.
local function mark_text(mark)
  if mark.till == 0 and #mark.waits == 0 then return nil end
  local parts = { mark.turn, whole(mark.till) }
  for _, wait in ipairs(mark.waits) do
    parts[#parts + 1] = wait.name
    parts[#parts + 1] = whole(wait.till)
  end
  return table.concat(parts, '|')
end

-- Takes one replica out of the waiting ones.
local function unmark(mark, name)
  for i, wait in ipairs(mark.waits) do
    if wait.name == name then
      table.remove(mark.waits, i)
      return
    end
  end
end

-- Puts a replica among the waiting ones, or renews it where it stands.
local function wait_in(mark, name, now)
  for _, wait in ipairs(mark.waits) do
    if wait.name == name then
      wait.till = now + WAIT_MS
      return
    end
  end
  mark.waits[#mark.waits + 1] = { name = name, till = now + WAIT_MS }
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
