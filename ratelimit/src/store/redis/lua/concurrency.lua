  -- concurrency: a sorted set of permits, each by the end of its lease (us)
  if algorithm == 'concurrency' then
    -- Of an earlier charge of the same key, if there is one.
    local held = raw and raw.held or call('ZCOUNT', key, digits('(%.0f', now_us), '+inf')
    left, reset = held < count and count - held or 0, 0
    fits = cost == 0 or cost <= capacity and held < count
    wait = fits and 0 or 1000000
    if fits and cost > 0 and id and ARGV[leases + i] + 0 > 0 then
      value = { held = held + 1 }
      left_after, reset_after, stamp_us, level = left - 1, 0, now_us, held + 1
    end
  end

