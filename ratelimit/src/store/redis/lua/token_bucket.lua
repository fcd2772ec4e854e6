  -- token_bucket: 19, stamp (us), scale, tokens * scale, below zero for what is owed; the scale is the period then
  if algorithm == 'token_bucket' then
    local at, full = now, capacity * period
    level = full
    if raw then
      if #raw ~= 25 then
        return redis.error_reply(FOREIGN .. key)
      end
      local format, since, scale, tokens = unpack('>Bddd', raw)
      if format ~= 19 or since % 1 + scale % 1 + tokens % 1 ~= 0 or since < 0 or since > EXACT
        or scale < 1 or scale > EXACT or tokens < -EXACT or tokens > EXACT then
        return redis.error_reply(FOREIGN .. key)
      end
      if scale ~= period then
        -- Another period counts in other parts of a token: whole ones stay.
        tokens = floor(tokens / scale)
        tokens = tokens < capacity and tokens * period or full
      elseif tokens > full then
        tokens = full
      end
      if tokens < 0 then
        tokens = max(tokens, capacity * period - min(capacity * 2, floor(EXACT / period)) * period)
      end
      since = tick == 1 and since or ceil(since / tick)
      if since > at then
        at = since
      end
      local refill = (at - since) * count
      if refill < full - tokens then
        level = tokens + refill
      end
    end

    local need = cost * period
    fits, wait = cost == 0 or cost <= capacity and level >= need, 0
    if not fits or cost == 0 or charges > 1 then
      left, reset = level > 0 and (level - level % period) / period or 0, ceil((full - level) / count)
    end
    if fits and cost > 0 then
      level = level - need
      left_after, reset_after = (level - level % period) / period, ceil((full - level) / count)
      stamp_us = at * tick
      value = pack('>Bddd', 19, stamp_us, period, level)
    elseif not fits and cost <= capacity then
      wait = ceil((need - level) / count)
    end
  end

