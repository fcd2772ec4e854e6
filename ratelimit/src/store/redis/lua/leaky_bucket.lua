  -- leaky_bucket: 20, stamp (us), scale, places taken * scale; the scale is the period when it was written
  if algorithm == 'leaky_bucket' then
    local at, full = now, capacity * period
    level = 0
    if raw then
      if #raw ~= 25 then
        return redis.error_reply(FOREIGN .. key)
      end
      local format, since, scale, fill = unpack('>Bddd', raw)
      if format ~= 20 or since % 1 + scale % 1 + fill % 1 ~= 0 or since < 0 or since > EXACT
        or scale < 1 or scale > EXACT or fill < 0 or fill > EXACT then
        return redis.error_reply(FOREIGN .. key)
      end
      if scale ~= period then
        -- Another period counts in other parts of a place: one begun counts as whole.
        fill = ceil(fill / scale)
        fill = fill < capacity and fill * period or full
      elseif fill > full then
        fill = full
      end
      since = tick == 1 and since or ceil(since / tick)
      if since > at then
        at = since
      end
      local leaked = (at - since) * count
      if leaked < fill then
        level = fill - leaked
      end
    end

    -- The call starts when the first of its places is due: when all before it has leaked.
    local need, delay, longest = cost * period, ceil(level / count), ARGV[a + 6] + 0
    left, reset = (full - level - (full - level) % period) / period, delay
    fits, wait = false, 0
    if cost <= capacity then
      local short = need - (full - level)
      local late = longest < 0 and 0 or delay - longest
      fits = cost == 0 or short <= 0 and late <= 0
      if fits then
        wait = delay
      else
        wait = short > 0 and ceil(short / count) or 0
        wait = late > wait and late or wait
      end
    end
    if fits and cost > 0 then
      level = level + need
      left_after, reset_after = (full - level - (full - level) % period) / period, ceil(level / count)
      stamp_us = at * tick
      value = pack('>Bddd', 20, stamp_us, period, level)
    end
  end

