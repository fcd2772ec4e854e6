  -- sliding_window: 18, start (us), units of the previous window, units of the current one
  if algorithm == 'sliding_window' then
    local at, previous, current = now, 0, 0
    local start = at - at % period
    if raw then
      if #raw ~= 25 then
        return redis.error_reply(FOREIGN .. key)
      end
      local format, since, before, units = unpack('>Bddd', raw)
      if format ~= 18 or since % 1 + before % 1 + units % 1 ~= 0 or since < 0 or since > EXACT
        or before < 0 or before > EXACT or units < 0 or units > EXACT then
        return redis.error_reply(FOREIGN .. key)
      end
      since = tick == 1 and since or ceil(since / tick)
      if since > at then
        at = since
        start = at - at % period
      end
      if since >= start then
        previous, current = before, units
      elseif since >= start - period then
        previous = units
      end
    end

    -- Ticks until the current window ends: that much of the previous one is still in view.
    local view = start + period - at
    local weight = previous * view -- in units * period
    left = count - current
    if left <= 0 or weight >= left * period then
      left = 0
    else
      left = left - ceil(weight / period)
    end
    reset = current > 0 and view + period or previous > 0 and view or 0

    local room = count - current - cost
    fits = cost == 0 or room >= 0 and weight <= room * period
    wait = 0
    if not fits and cost <= count then
      if room >= 0 then
        wait = view - floor(room * period / previous)
      else
        wait = view + period - floor((count - cost) * period / current)
      end
    end
    if fits and cost > 0 then
      current = current + cost
      value = pack('>Bddd', 18, start * tick, previous, current)
      left_after, reset_after = room - ceil(weight / period), view + period
      stamp_us, level = start * tick, current
    end
  end

