  -- fixed_window: 17, start (us), used
  if algorithm == 'fixed_window' then
    local at, used = now, 0
    local start = at - at % period
    if raw then
      if #raw ~= 17 then
        return redis.error_reply(FOREIGN .. key)
      end
      local format, since, units = unpack('>Bdd', raw)
      if format ~= 17 or since % 1 + units % 1 ~= 0 or since < 0 or since > EXACT or units < 0 or units > EXACT then
        return redis.error_reply(FOREIGN .. key)
      end
      since = tick == 1 and since or ceil(since / tick)
      if since > at then
        at = since
        start = at - at % period
      end
      if since >= start then
        used = units
      end
    end

    local ends = start + period - at
    left = used < count and count - used or 0
    reset = used > 0 and ends or 0
    fits = cost == 0 or cost <= count - used
    wait = fits and 0 or ends
    if fits and cost > 0 then
      used = used + cost
      value = pack('>Bdd', 17, start * tick, used)
      left_after, reset_after, stamp_us, level = count - used, ends, start * tick, used
    end
  end

