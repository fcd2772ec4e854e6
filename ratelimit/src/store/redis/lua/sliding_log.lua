  -- sliding_log: a list of entries (end (us), units) in order of time, and behind them one record of the whole:
  -- 21, latest write (us), units of all entries. An entry costs 18 bytes, and calls of one tick all count.
  if algorithm == 'sliding_log' then
    local slice = ARGV[a + 6] + 0
    local at, total, live, dead = now, 0, 0, 0
    local last_us, last_units = 0, 0 -- the newest entry
    local plan = raw -- of an earlier charge of the same key, if there is one
    raw = false
    if plan then
      at, dead, live, last_us, last_units = plan.at, plan.dead, plan.live, plan.last_us, plan.last_units
    else
      local back = call('LRANGE', key, -2, -1)
      if #back > 0 then
        if #back ~= 2 or #back[1] ~= 16 or #back[2] ~= 17 then
          return redis.error_reply(FOREIGN .. key)
        end
        last_us, last_units = unpack('>dd', back[1])
        local format, latest, sum = unpack('>Bdd', back[2])
        if format ~= 21 or last_us % 1 + last_units % 1 + latest % 1 + sum % 1 ~= 0
          or last_us < 0 or last_us > EXACT or last_units < 0 or last_units > EXACT
          or latest < 0 or latest > EXACT or sum < last_units or sum > EXACT then
          return redis.error_reply(FOREIGN .. key)
        end
        total, latest = sum, ceil(latest / tick)
        if latest > at then
          at = latest
        end
      end
    end

    local last = ceil(last_us / tick)
    local over -- units that have to leave before the charge fits
    if plan or last_us == 0 then
      over = live + cost - count
    elseif last + period <= at then
      -- All are dead, none needs to be read: the trim starts behind any end.
      dead, over, last_us = EXACT, cost - count, 0
    end

    -- Walks from the oldest entry over the dead, and on until enough live units have been passed.
    wait = 0
    if not over or over > 0 and cost > 0 and cost <= count then
      local from, place, chunk, gone = dead, 1, call('LRANGE', key, dead, dead + 3), 0
      repeat
        local entry = chunk[place]
        if not entry and place > 1 then
          from = from + place - 1
          chunk, place = call('LRANGE', key, from, from + 127), 1
          entry = chunk[1]
        end
        if entry and #entry == 16 then
          local ends, units = unpack('>dd', entry)
          if ends % 1 + units % 1 ~= 0 or ends < 0 or ends > EXACT or units < 0 or units > EXACT then
            return redis.error_reply(FOREIGN .. key)
          end
          ends = ceil(ends / tick)
          if not over and ends + period > at then
            live = total - gone
            if live < 0 then
              return redis.error_reply(FOREIGN .. key)
            end
            over = cost > 0 and cost <= count and live + cost - count or 0
          end
          if not over then
            dead, gone = dead + 1, gone + units
          elseif over > 0 then
            over, wait = over - units, ends + period - at
          end
          place = place + 1
        elseif plan then
          over, wait = 0, last + period - at -- what the earlier charge added leaves last
        else
          return redis.error_reply(FOREIGN .. key)
        end
      until over and over <= 0
    end

    left = live < count and count - live or 0
    reset = last_us > 0 and last + period - at or 0
    fits = cost == 0 or cost <= count - live
    if fits and cost > 0 then
      local ends = at - at % slice + slice - 1
      plan = plan or { exists = total > 0, dead = dead, at = at, at_us = at * tick }
      if last_us > 0 and last >= ends then
        last_units = last_units + cost
      else
        last, last_us, last_units = ends, ends * tick, cost
        plan.pushes = true
      end
      live = live + cost
      plan.live, plan.last_us, plan.last_units = live, last_us, last_units
      value = plan
      left_after, reset_after, stamp_us, level = count - live, last + period - at, last_us, live
    end
  end

