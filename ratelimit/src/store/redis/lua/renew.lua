-- renew: lengthens the leases of charges that hold something, from now on
-- KEYS   per charge: 1 the key of the charge, as `decide` writes it  2 its permit; the key again for concurrency
-- ARGV   per charge: 1 algorithm (word)  2 lease (us)  3 permit (16 bytes, or empty: then it holds nothing)
-- RETURN one string, a byte per charge: 0 renewed, 1 lost (its lease had ended; a slot of concurrency is held again)
-- CLOCK  server
-- TTL    until the lease ends, in ms rounded up, plus 1000; that of a set of slots is never shortened
-- ATOMIC Redis runs a script alone.
local call, pack, unpack = redis.call, struct.pack, struct.unpack
local replies = {}
for i = 1, #KEYS / 2 do
  local key, permit, a = KEYS[i * 2 - 1], KEYS[i * 2], i * 3 - 3
  local lease, id = ARGV[a + 2] + 0, ARGV[a + 3]
  local lasts, renewed = math.ceil(lease / 1000) + 1000, false
  if id == '' then
    renewed = false
  elseif ARGV[a + 1] == 'concurrency' then
    local ends = call('ZSCORE', key, id)
    renewed = ends and ends + 0 > now_us
    call('ZADD', key, string.format('%.0f', now_us + lease), id)
    call('PEXPIRE', key, math.max(call('PTTL', key), lasts))
  else
    local raw = call('GET', permit)
    if raw and #raw == 26 then
      local format, settled, ends, stamp_us, level = unpack('>BBddd', raw)
      renewed = format == 33 and ends > now_us
      if renewed then
        call('SET', permit, pack('>BBddd', 33, settled, now_us + lease, stamp_us, level), 'PX', lasts)
      end
    end
  end
  replies[i] = renewed and '\0' or '\1'
end
return table.concat(replies)
