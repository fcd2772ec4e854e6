-- decide: looks at all charges at one instant and takes every one of them, or nothing if one does not fit
-- KEYS   one per charge: string (a format byte, then big-endian doubles), or for sliding_log a list of such entries
-- ARGV   per charge: 1 algorithm (word)  2 tick (us)  3 count (units)  4 period (ticks)  5 capacity (units)
--        6 cost (units)  7 extra (ticks: slice of sliding_log, longest delay of leaky_bucket or -1)
-- RETURN one string, big-endian, per charge: 1 outcome (u8: 0 allowed, 1 denied, 2 exceeds)  2 remaining (u64 units)
--        3 reset (u64 ticks)  4 wait (u64 ticks: delay if allowed, retry if denied)  5 stamp (u64 us)  6 level (u64)
-- CLOCK  server
-- TTL    until the key is as if never used, in ms rounded up, plus 1000; what has none gets one, even on a denial
-- ATOMIC Redis runs a script alone, every read stands before the first write, and nothing is written on a denial.
--
-- Numbers are doubles. A rule's products (count * period, capacity * period) are at most 2^53 and so exact. A product
-- with an elapsed time, or with a count that an older rule left, may be larger and rounded. Rounding is monotone: such
-- a product is first compared with an exact number, and goes into a sum only where it is the smaller of the two. The
-- quotient a / b of whole numbers up to 2^53 never rounds onto a whole number, so floor(a / b), ceil(a / b) are exact.
--
-- Every algorithm is an `if` of its own below, not a function: creating five closures costs a fifth of a decision.
-- It finds key, raw, tick, count, period, capacity, cost and now, and leaves behind
--   fits, wait        whether the charge fits now; ticks of its delay, or until it fits
--   left, reset       what is reported if nothing is taken
--   value             what to write if it is taken, else false; then also left_after, reset_after, stamp_us, level
local call, pack, unpack = redis.call, struct.pack, struct.unpack
local floor, ceil, min = math.floor, math.ceil, math.min
local EXACT = 9007199254740992 -- 2^53
local FOREIGN = 'FOREIGN value that the rate limiter did not write; delete the key or change the prefix: '
local REPLY = '>BI8I8I8I8I8'

local charges = #KEYS
local all_fit, reply = true, nil
local value, reset, ttl -- of the charge that the walk is at
local values, ttls, replies, outcomes, lefts, resets, waits -- of each, if there are several
if charges > 1 then
  -- Four places from the start: a table that grows is made anew.
  values, ttls, replies = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
  outcomes, lefts, resets, waits = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
end

for i = 1, charges do
  local key, a = KEYS[i], i * 7 - 6
  local algorithm, tick, count, period = ARGV[a], ARGV[a + 1] + 0, ARGV[a + 2] + 0, ARGV[a + 3] + 0
  local capacity, cost = ARGV[a + 4] + 0, ARGV[a + 5] + 0
  local now = (now_us - now_us % tick) / tick
  local fits, wait, left, left_after, reset_after, stamp_us, level
  value = false

  -- Charges of one key add up: each is judged as if the earlier ones that fit had been taken.
  local raw, twin = false, false
  for j = 1, i - 1 do
    if KEYS[j] == key then
      twin, raw = twin or j, values[j] or raw
    end
  end
  if not raw and algorithm ~= 'sliding_log' then
    raw = call('GET', key)
  end

