//! Where in a cluster a key is: one of 16,384 slots, by a checksum of its hash tag.
//! (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>)

use crc::{CRC_16_XMODEM, Crc, Table};

/// How many slots a cluster has.
pub(super) const SLOTS: u16 = 16_384;

static CHECKSUM: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&CRC_16_XMODEM);

/// The slot of a key.
pub(super) fn slot(key: &[u8]) -> u16 {
    CHECKSUM.checksum(tag(key)) % SLOTS
}

/// What stands between the first `{` and the next `}`, if that is anything, else the whole key.
fn tag(key: &[u8]) -> &[u8] {
    let Some((_, behind)) = split(key, b'{') else { return key };
    match split(behind, b'}') {
        Some((tag, _)) if !tag.is_empty() => tag,
        _ => key,
    }
}

fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|byte| *byte == at)?;
    bytes.split_at_checked(place).and_then(|(before, rest)| Some((before, rest.split_first()?.1)))
}

#[cfg(test)]
mod tests {
    use super::{slot, tag};

    #[test]
    fn slots_are_those_of_the_servers() {
        // What `CLUSTER KEYSLOT` says.
        for (key, expected) in
            [("", 0), ("123456789", 12_739), ("foo", 12_182), ("rl:{}:x", 10_699), ("rl:{}:y", 14_826)]
        {
            assert_eq!(slot(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn first_tag_that_is_not_empty_counts() {
        for (key, expected) in
            [("a{b}{c}", "b"), ("a{{b}}", "{b"), ("a{}{c}", "a{}{c}"), ("a{b", "a{b"), ("a}b{c}", "c")]
        {
            assert_eq!(tag(key.as_bytes()), expected.as_bytes(), "{key}");
        }
    }
}
