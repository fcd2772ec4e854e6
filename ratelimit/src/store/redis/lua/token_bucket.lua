  -- token_bucket: 19, stamp (us), scale, tokens * scale, below zero for what is owed; the scale is the period then;
  -- behind them, if that is no full bucket, the same if all that is taken and not settled came back
  if algorithm == 'token_bucket' then
    local at, full = now, capacity * period
    local best = full
    level = full
    if raw then
      if #raw ~= 25 and #raw ~= 33 then
        return redis.error_reply(FOREIGN .. key)
      end
      local format, since, scale, tokens = unpack('>Bddd', raw)
      if format ~= 19 or since % 1 + scale % 1 + tokens % 1 ~= 0 or since < 0 or since > EXACT
        or scale < 1 or scale > EXACT or tokens < -EXACT or tokens > EXACT then
        return redis.error_reply(FOREIGN .. key)
      end
      if #raw == 33 then
        best = unpack('>d', raw, 26)
        if best % 1 ~= 0 or best < tokens or best > EXACT then
          return redis.error_reply(FOREIGN .. key)
        end
        best = min(scale == period and best or ceil(best / scale) * period, full)
      end
      if scale ~= period then
        -- Another period counts in other parts of a token: whole ones stay.
        tokens = floor(tokens / scale)
        tokens = tokens < capacity and tokens * period or full
      elseif tokens > full then
        tokens = full
      end
      if tokens < 0 then
        local least = capacity * period - min(capacity * 2, floor(EXACT / period)) * period
        tokens, best = max(tokens, least), max(best, least)
      end
      since = tick == 1 and since or ceil(since / tick)
      if since > at then
        at = since
      end
      local refill = (at - since) * count
      if refill < full - tokens then
        level = tokens + refill
      end
      best = refill < full - best and best + refill or full
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
      if best < full then
        value = value .. pack('>d', best)
      end
      level = best
    elseif not fits and cost <= capacity then
      wait = ceil((need - level) / count)
    end
  end

