  local outcome = cost > capacity and 2 or fits and 0 or 1
  if outcome > 0 then
    all_fit = false
    wait = outcome == 1 and wait or 0
  end
  if value then
    reply = pack(REPLY, 0, left_after, reset_after, wait, stamp_us, level)
    ttl = ceil(reset_after * tick / 1000) + 1000
    ttl = ttl < EXACT and ttl or EXACT
    if id then
      stamps[i], levels[i] = stamp_us, level
    end
  else
    reply = pack(REPLY, outcome, left, reset, wait, 0, 0)
  end

  if charges > 1 then
    if twin then
      left, reset = lefts[twin], resets[twin]
      for j = twin, value and i - 1 or 0 do
        if KEYS[j] == key then
          values[j] = false
        end
      end
    end
    values[i], ttls[i], replies[i] = value, ttl, reply
    outcomes[i], lefts[i], resets[i], waits[i] = outcome, left, reset, wait
  end
end

for i = 1, charges do
  local key = KEYS[i]
  if charges > 1 then
    value, reset, ttl = values[i], resets[i], ttls[i]
  end
  if not all_fit or not value then
    -- Nothing is taken, but no key stays for ever.
    if call('PTTL', key) == -1 then
      local lasts = ARGV[i * 7 - 5] == 'concurrency' and ARGV[i * 7 - 2] or reset
      call('PEXPIRE', key, min(ceil(lasts * ARGV[i * 7 - 4] / 1000) + 1000, EXACT))
    end
  elseif ARGV[i * 7 - 5] == 'concurrency' then
    local lease = ARGV[leases + i] + 0
    call('ZREMRANGEBYSCORE', key, '-inf', digits('%.0f', now_us))
    call('ZADD', key, digits('%.0f', now_us + lease), id)
    call('PEXPIRE', key, max(call('PTTL', key), ceil(lease / 1000) + 1000))
  elseif ARGV[i * 7 - 5] ~= 'sliding_log' then
    call('SET', key, value, 'PX', ttl)
  else
    local entry, whole = pack('>dd', value.last_us, value.last_units), pack('>Bdd', 21, value.at_us, value.live)
    if value.dead > 0 then
      call('LTRIM', key, value.dead, -1)
    end
    if not value.pushes then
      call('LSET', key, -2, entry)
      call('LSET', key, -1, whole)
    elseif value.exists and value.dead < EXACT then
      call('LSET', key, -1, entry)
      call('RPUSH', key, whole)
    else
      call('RPUSH', key, entry, whole)
    end
    call('PEXPIRE', key, ttl)
  end
end

-- What is held is written down, so that it can be settled: once, and only while its lease runs.
local permits = charges
for i = 1, id and all_fit and charges or 0 do
  local lease = ARGV[leases + i] + 0
  if lease > 0 and ARGV[i * 7 - 5] ~= 'concurrency' then
    -- An estimate of nothing took nothing from nowhere, and may cost something in the end.
    local permit = pack('>BBddd', 33, 0, now_us + lease, stamps[i] or 0, levels[i] or 0)
    permits = permits + 1
    call('SET', KEYS[permits], permit, 'PX', ceil(lease / 1000) + 1000)
  end
end

if charges == 1 then
  return reply
end
for i = 1, all_fit and 0 or charges do
  replies[i] = pack(REPLY, outcomes[i], lefts[i], resets[i], waits[i], 0, 0)
end
return table.concat(replies, '', 1, charges)
