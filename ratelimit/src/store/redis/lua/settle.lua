-- settle: corrects charges to what they cost in the end, each permit once
-- KEYS   per settlement: 1 the key of the charge, as `decide` writes it  2 its permit; the key again where there is none
-- ARGV   per settlement: 1 algorithm (word)  2 tick (us)  3 count (units)  4 period (ticks)  5 capacity (units)
--        6 cost (units)  7 actual (units)  8 slice (ticks)  9 permit (16 bytes, or empty: then the receipt follows)
--        10 stamp (us)  11 level (units or parts of them)
-- RETURN one string, big-endian, per settlement: 1 outcome (u8: 0 applied, 1 late, 2 settled before)
--        2 overrun (u64 units that could be charged nowhere)
-- CLOCK  server
-- TTL    of a key as `decide` sets it where more is charged, else as it was; a permit stays until its lease ends
-- ATOMIC Redis runs a script alone. A permit is marked before its charge is corrected, and never corrected twice.
local call, pack, unpack = redis.call, struct.pack, struct.unpack
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local digits = string.format
local EXACT = 9007199254740992 -- 2^53
local FOREIGN = 'FOREIGN value that the rate limiter did not write; delete the key or change the prefix: '

-- Whole numbers from 0 to 2^53, but the last may be below zero: what a key of ours holds.
local function whole(...)
  local numbers = { ... }
  for i = 1, #numbers do
    local least = i == #numbers and -EXACT or 0
    if numbers[i] % 1 ~= 0 or numbers[i] < least or numbers[i] > EXACT then
      return false
    end
  end
  return true
end

local replies = {}
for i = 1, #KEYS / 2 do
  local key, permit, a = KEYS[i * 2 - 1], KEYS[i * 2], i * 11 - 11
  local algorithm, tick, count, period = ARGV[a + 1], ARGV[a + 2] + 0, ARGV[a + 3] + 0, ARGV[a + 4] + 0
  local capacity, cost, actual, slice = ARGV[a + 5] + 0, ARGV[a + 6] + 0, ARGV[a + 7] + 0, ARGV[a + 8] + 0
  local id, stamp_us, level = ARGV[a + 9], ARGV[a + 10] + 0, ARGV[a + 11] + 0
  local outcome, overrun = 0, 0

  if algorithm == 'concurrency' then
    local ends = call('ZSCORE', key, id)
    outcome = ends and ends + 0 > now_us and 0 or 1
    if ends then
      call('ZREM', key, id)
    end
  elseif id ~= '' then
    local raw = call('GET', permit)
    local format, settled, ends
    if raw then
      if #raw ~= 26 then
        return redis.error_reply(FOREIGN .. permit)
      end
      format, settled, ends, stamp_us, level = unpack('>BBddd', raw)
      if format ~= 33 or settled > 1 or not whole(ends, stamp_us, level) then
        return redis.error_reply(FOREIGN .. permit)
      end
    end
    if not raw or ends <= now_us then
      outcome = 1
    elseif settled == 1 then
      outcome = 2
    else
      local lasts = ceil((ends - now_us) / 1000) + 1000
      call('SET', permit, pack('>BBddd', 33, 1, ends, stamp_us, level), 'PX', lasts)
    end
  end

  if outcome == 0 and (actual ~= cost or algorithm == 'token_bucket') and algorithm ~= 'concurrency' then
    local now = (now_us - now_us % tick) / tick
    local at, surplus, refund = now, max(actual - cost, 0), max(cost - actual, 0)
    local most = max(capacity, min(capacity * 2, floor(EXACT / period))) -- used and owed
    local raw = algorithm ~= 'sliding_log' and call('GET', key)
    local value, lasts -- to write, and ticks until it stops to matter: nil keeps the TTL

    if algorithm == 'fixed_window' then
      local since, used = 0, 0
      if raw then
        local format, since_us, units = unpack('>Bdd', #raw == 17 and raw or ('\0'):rep(17))
        if format ~= 17 or not whole(since_us, units) then
          return redis.error_reply(FOREIGN .. key)
        end
        since, used = ceil(since_us / tick), units
        if refund > 0 and since_us == stamp_us then
          value = pack('>Bdd', 17, since_us, max(0, used - refund))
        end
      end
      if surplus > 0 then
        at = max(now, since)
        local start = at - at % period
        used = since >= start and used or 0
        local owed = min(surplus, max(0, most - used))
        overrun, lasts = surplus - owed, start + period - at
        value = owed > 0 and pack('>Bdd', 17, start * tick, used + owed)
      end

    elseif algorithm == 'sliding_window' then
      local since, previous, current = 0, 0, 0
      if raw then
        local format, since_us, before, units = unpack('>Bddd', #raw == 25 and raw or ('\0'):rep(25))
        if format ~= 18 or not whole(since_us, before, units) then
          return redis.error_reply(FOREIGN .. key)
        end
        since, previous, current = ceil(since_us / tick), before, units
        if refund > 0 and since_us == stamp_us then
          value = pack('>Bddd', 18, since_us, previous, max(0, current - refund))
        elseif refund > 0 and since_us == stamp_us + period * tick then
          value = pack('>Bddd', 18, since_us, max(0, previous - refund), current)
        end
      end
      if surplus > 0 then
        at = max(now, since)
        local start = at - at % period
        if since < start then
          previous, current = since >= start - period and current or 0, 0
        end
        local is_previous = (start - period) * tick == stamp_us
        local owed = min(surplus, max(0, most - (is_previous and previous or current)))
        if is_previous then
          previous = previous + owed
        else
          current = current + owed
        end
        overrun, lasts = surplus - owed, start + period * 2 - at
        value = owed > 0 and pack('>Bddd', 18, start * tick, previous, current)
      end

    elseif algorithm == 'token_bucket' then
      local full, since, tokens = capacity * period, 0, nil
      local best = full -- the level if all that is not settled came back
      if raw then
        local format, since_us, scale, units = unpack('>Bddd', #raw >= 25 and raw or ('\0'):rep(25))
        best = #raw == 33 and unpack('>d', raw, 26) or EXACT
        if format ~= 19 or #raw ~= 25 and #raw ~= 33 or scale < 1 or not whole(since_us, scale, units)
          or not whole(best) or best < units then
          return redis.error_reply(FOREIGN .. key)
        end
        since, tokens = ceil(since_us / tick), units
        best = min(scale == period and best or best < EXACT and ceil(best / scale) * period or full, full)
        best = max(best, full - most * period)
        if scale == period and cost > 0 then
          -- None comes back that would have overflowed by now had only the actual cost been taken.
          local refill = (max(now, since) - ceil(stamp_us / tick)) * count
          local possible = max(0, cost * period - max(0, refill - (full - level)))
          local returned = min(possible, refund * period)
          best = min(best, full - min((max(now, since) - since) * count, full - tokens)) - (possible - returned)
          tokens = tokens < full and min(full, tokens + returned) or tokens
          best = max(best, tokens)
          value = pack('>Bddd', 19, since_us, scale, tokens) .. (best < full and pack('>d', best) or '')
          value = value ~= raw and value
        end
        if scale ~= period then
          tokens = floor(tokens / scale) * period
        end
      end
      if surplus > 0 then
        at, tokens = max(now, since), max(min(tokens or full, full), full - most * period)
        local refill = (at - since) * count
        tokens = refill < full - tokens and tokens + refill or full
        local owed = min(surplus, floor((tokens + (most * period - full)) / period))
        tokens = tokens - owed * period
        overrun = surplus - owed
        if owed > 0 then
          best = (refill < full - best and best + refill or full) - owed * period
          lasts = ceil((full - tokens) / count)
          value = pack('>Bddd', 19, at * tick, period, tokens) .. (best < full and pack('>d', best) or '')
        end
      end

    elseif algorithm == 'leaky_bucket' then
      local full, since, fill = capacity * period, 0, 0
      if raw then
        local format, since_us, scale, places = unpack('>Bddd', #raw == 25 and raw or ('\0'):rep(25))
        if format ~= 20 or scale < 1 or places < 0 or not whole(since_us, scale, places) then
          return redis.error_reply(FOREIGN .. key)
        end
        since, fill = ceil(since_us / tick), places
        -- The queue ends where the receipt says, unless another call has joined: the end only moves when one joins.
        if refund > 0 and scale == period and (since - ceil(stamp_us / tick)) * count == level - fill then
          value = pack('>Bddd', 20, since_us, scale, max(0, fill - refund * period))
        end
        if scale ~= period then
          fill = ceil(fill / scale) * period
        end
      end
      if surplus > 0 then
        at = max(now, since)
        fill = max(0, min(fill, full) - min(full, (at - since) * count))
        local owed = min(surplus, floor((full - fill) / period))
        fill = fill + owed * period
        overrun, lasts = surplus - owed, ceil(fill / count)
        value = owed > 0 and pack('>Bddd', 20, at * tick, period, fill)
      end

    elseif algorithm == 'sliding_log' then
      local tail, latest, total, format = call('LINDEX', key, -1), 0, 0, 21
      if tail then
        format, latest, total = unpack('>Bdd', #tail == 17 and tail or ('\0'):rep(17))
        if format ~= 21 or not whole(latest, total) then
          return redis.error_reply(FOREIGN .. key)
        end
        at = max(now, ceil(latest / tick))
      end
      -- The entry of the charge, from the newest to the oldest; its distance from the end is -1 for the tail.
      local place, entry_units, distance, chunk = nil, 0, 2, nil
      repeat
        chunk = tail and call('LRANGE', key, -distance - 127, -distance) or {}
        for j = #chunk, 1, -1 do
          local ends_us, units = unpack('>dd', #chunk[j] == 16 and chunk[j] or ('\255'):rep(16))
          if not whole(ends_us, units) then
            return redis.error_reply(FOREIGN .. key)
          end
          if ends_us <= stamp_us then
            if ends_us == stamp_us then
              place, entry_units = -(distance + #chunk - j), units
            end
            chunk = {}
            break
          end
        end
        distance = distance + 128
      until #chunk < 128

      if refund > 0 and place then
        local returned = min(refund, entry_units)
        if entry_units > returned then
          call('LSET', key, place, pack('>dd', stamp_us, entry_units - returned))
        else
          -- An entry of no units is none. The mark is no entry, so it is the one that is removed.
          call('LSET', key, place, '')
          call('LREM', key, -1, '')
        end
        if call('LINDEX', key, -2) then
          call('LSET', key, -1, pack('>Bdd', 21, latest, total - returned))
        else
          call('LTRIM', key, 1, 0)
        end
      elseif surplus > 0 then
        -- The dead, which count no more, go first.
        local dead, live, newest, newest_units, walks = 0, total, nil, 0, tail and true
        while walks do
          chunk = call('LRANGE', key, dead, dead + 127)
          for j = 1, #chunk do
            local ends_us, units = unpack('>dd', #chunk[j] == 16 and chunk[j] or ('\255'):rep(16))
            walks = ceil(ends_us / tick) + period <= at -- false also for the tail, which is no number
            if not walks then
              break
            end
            dead, live = dead + 1, live - units
          end
        end
        local owed = min(surplus, max(0, most - live))
        overrun = surplus - owed
        if owed > 0 and place and ceil(stamp_us / tick) + period > at then
          call('LSET', key, place, pack('>dd', stamp_us, entry_units + owed))
          call('LSET', key, -1, pack('>Bdd', 21, latest, total + owed))
        elseif owed > 0 then
          if live > 0 then
            newest, newest_units = unpack('>dd', call('LINDEX', key, -2))
          end
          local ends = at - at % slice + slice - 1
          if dead > 0 then
            call('LTRIM', key, dead, -1)
          end
          local whole_log = pack('>Bdd', 21, at * tick, live + owed)
          if newest and ceil(newest / tick) >= ends then
            ends = ceil(newest / tick)
            call('LSET', key, -2, pack('>dd', newest, newest_units + owed))
            call('LSET', key, -1, whole_log)
          else
            if live > 0 then
              call('LSET', key, -1, pack('>dd', ends * tick, owed))
            else
              call('LTRIM', key, 1, 0)
              call('RPUSH', key, pack('>dd', ends * tick, owed))
            end
            call('RPUSH', key, whole_log)
          end
          call('PEXPIRE', key, max(call('PTTL', key), min(ceil((ends + period - at) * tick / 1000) + 1000, EXACT)))
        end
      end
    end

    if value and lasts then
      -- Another rule may have written it since, and may want it for longer.
      call('SET', key, value, 'PX', max(call('PTTL', key), min(ceil(lasts * tick / 1000) + 1000, EXACT)))
    elseif value then
      call('SET', key, value, 'KEEPTTL')
    end
  end
  replies[i] = pack('>BI8', outcome, overrun)
end
return table.concat(replies)
