-- give_back: takes the last call out of a leaky bucket's queue, if nobody has joined behind it
-- KEYS   1 key: string (a format byte, then big-endian doubles)
-- ARGV   1 tick (us)  2 count (units)  3 period (ticks)  4 cost (units)  5 stamp (us, of the receipt)  6 level (of the receipt)
-- RETURN 1 given back (0 or 1)
-- CLOCK  server
-- TTL    until the queue is empty, in ms rounded up, plus 1000
-- ATOMIC Redis runs a script alone, and what another call has joined behind is not written.
local tick, count, period, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
local stamp, level = math.ceil(ARGV[5] / tick), ARGV[6] + 0
local EXACT = 9007199254740992 -- 2^53

local raw = redis.call('GET', KEYS[1])
if not raw then
  return 0
end
if #raw ~= 25 then
  return redis.error_reply('FOREIGN value that the rate limiter did not write; delete the key or change the prefix: ' .. KEYS[1])
end
local format, since_us, scale, fill = struct.unpack('>Bddd', raw)
if format ~= 20 or since_us % 1 + scale % 1 + fill % 1 ~= 0 or since_us < 0 or since_us > EXACT
  or scale < 1 or scale > EXACT or fill < 0 or fill > EXACT then
  return redis.error_reply('FOREIGN value that the rate limiter did not write; delete the key or change the prefix: ' .. KEYS[1])
end

-- The queue ends where the receipt says, unless another call has joined: the end only moves when a call joins.
local since = math.ceil(since_us / tick)
if scale ~= period or (since - stamp) * count ~= level - fill then
  return 0
end
fill = math.max(0, fill - cost * period)
local at = math.max(math.floor(now_us / tick), since)
local reset = math.ceil(math.max(0, fill - (at - since) * count) / count)
redis.call('SET', KEYS[1], struct.pack('>Bddd', 20, since_us, period, fill),
  'PX', math.min(math.ceil(reset * tick / 1000) + 1000, EXACT))
return 1
