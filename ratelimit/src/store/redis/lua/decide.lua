-- decide: looks at all charges at one instant and takes every one of them, or nothing if one does not fit
-- KEYS   one per charge: string (a format byte, then big-endian doubles), for sliding_log a list of such entries, for
--        concurrency a sorted set of permits by the end of their lease (us); then one per charge that holds a permit,
--        but none for concurrency: string (33, settled, end of the lease, stamp, level)
-- ARGV   1 charges (number); per charge: 2 algorithm (word)  3 tick (us)  4 count (units)  5 period (ticks)
--        6 capacity (units)  7 cost (units)  8 extra (ticks: slice of sliding_log, longest delay of leaky_bucket or -1);
--        if any charge holds a permit: its id (16 bytes), and per charge a lease (us, 0 if it holds none)
-- RETURN one string, big-endian, per charge: 1 outcome (u8: 0 allowed, 1 denied, 2 exceeds)  2 remaining (u64 units)
--        3 reset (u64 ticks)  4 wait (u64 ticks: delay if allowed, retry if denied)  5 stamp (u64 us)  6 level (u64)
-- CLOCK  server
-- TTL    until the key is as if never used, a permit until its lease ends, in ms rounded up, plus 1000; what has none
--        gets one, even on a denial
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
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local digits = string.format
local EXACT = 9007199254740992 -- 2^53
local FOREIGN = 'FOREIGN value that the rate limiter did not write; delete the key or change the prefix: '
local REPLY = '>BI8I8I8I8I8'

local charges = ARGV[1] + 0
local id, leases = ARGV[charges * 7 + 2], charges * 7 + 2 -- the lease of charge i is ARGV[leases + i]
local all_fit, reply = true, nil
local value, reset, ttl -- of the charge that the walk is at
local values, ttls, replies, outcomes, lefts, resets, waits -- of each, if there are several
local stamps, levels = id and {}, id and {} -- of each that holds a permit
if charges > 1 then
  -- Four places from the start: a table that grows is made anew.
  values, ttls, replies = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
  outcomes, lefts, resets, waits = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
end

for i = 1, charges do
  local key, a = KEYS[i], i * 7 - 5
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
  if not raw and algorithm ~= 'sliding_log' and algorithm ~= 'concurrency' then
    raw = call('GET', key)
  end

