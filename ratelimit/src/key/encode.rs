//! Text that can stand in a stored key: readable where it is ordinary, bounded where it is long.

use sha2::{Digest, Sha256};
use smallvec::{Array, SmallVec};

/// Values up to this many bytes stand in the key as they are; longer ones as a digest.
pub(super) const LONGEST: usize = 64;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The bytes that stand for themselves in a value. Not among them: `:` and `=`, which structure a key, braces, which
/// make a hash tag, `%` and `~`, which mark an encoding, and whatever a terminal would not show.
const ORDINARY: [bool; 256] = {
    let mut ordinary = [false; 256];
    let mut byte = 0_u8;
    loop {
        // `as` widens; `From` is not const.
        #[allow(
            clippy::indexing_slicing,
            reason = "a byte is below 256, and a fault would be one of compilation"
        )]
        {
            ordinary[byte as usize] = byte.is_ascii_alphanumeric()
                || matches!(byte, b'-' | b'.' | b'_' | b'@' | b'/' | b'+' | b',');
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    ordinary
};

fn is_ordinary(byte: u8) -> bool {
    ORDINARY.get(usize::from(byte)).copied().unwrap_or(false)
}

/// Writes a value: as it is, with `%XX` for what is not ordinary, or `~` and a digest where it is long.
pub(super) fn value<A: Array<Item = u8>>(out: &mut SmallVec<A>, value: &[u8]) {
    if value.len() > LONGEST {
        digest(out, Sha256::new_with_prefix(value));
    } else {
        escape(out, value, is_ordinary);
    }
}

/// Writes a secret: always as a digest, so that no key name gives it away.
pub(super) fn secret<A: Array<Item = u8>>(out: &mut SmallVec<A>, value: &[u8]) {
    digest(out, Sha256::new_with_prefix(value));
}

/// Writes `~` and half of the digest: 128 bits, so a second value with the same digest cannot be found.
pub(super) fn digest<A: Array<Item = u8>>(out: &mut SmallVec<A>, hasher: Sha256) {
    out.push(b'~');
    for byte in hasher.finalize().iter().take(16) {
        hex(out, *byte, HEX);
    }
}

/// Writes the word that stands before a value; it may hold a `:`, as in `header:x-tenant`.
pub(super) fn label<A: Array<Item = u8>>(out: &mut SmallVec<A>, word: &str) {
    escape(out, word.as_bytes(), |byte| byte == b':' || is_ordinary(byte));
}

fn escape<A: Array<Item = u8>>(out: &mut SmallVec<A>, text: &[u8], ordinary: impl Fn(u8) -> bool) {
    if text.iter().all(|byte| ordinary(*byte)) {
        out.extend_from_slice(text);
        return;
    }
    for byte in text {
        if ordinary(*byte) {
            out.push(*byte);
        } else {
            out.push(b'%');
            hex(out, *byte, b"0123456789ABCDEF");
        }
    }
}

fn hex<A: Array<Item = u8>>(out: &mut SmallVec<A>, byte: u8, digits: &[u8; 16]) {
    for nibble in [byte >> 4, byte & 15] {
        out.push(digits.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    }
}

/// Four digits that spread keys evenly; the same for a key in every process, version and store.
pub(super) fn tag(key: &[u8]) -> [u8; 4] {
    // Eight bytes at a time: multiply, fold the upper half down. Not for secrets, and needs no seed.
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: [u8; 8]| {
        let product = (hash ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
        product ^ (product >> 32)
    };
    let (words, rest) = key.as_chunks::<8>();
    let hash = words.iter().fold(0, |hash, word| mix(hash, *word));
    let mut last = [0; 8];
    for (place, byte) in last.iter_mut().zip(rest) {
        *place = *byte;
    }
    let [.., high, low] = mix(mix(hash, last), *b"ratelimi").to_be_bytes();
    let mut digits = SmallVec::<[u8; 4]>::new();
    hex(&mut digits, high, HEX);
    hex(&mut digits, low, HEX);
    digits.into_inner().unwrap_or(*b"0000")
}
