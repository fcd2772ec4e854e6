//! Whose turn it is: users by chance, or every one once.

/// Names users one after another, without allocating: a service has the name at hand from its request.
pub(crate) struct Walk {
    order: Order,
    text: [u8; 13],
}

enum Order {
    Chance { keys: u32, state: u64 },
    All { next: u32 },
}

impl Walk {
    /// Users by chance, of that many.
    pub(crate) fn by_chance(keys: u32, seed: u32) -> Walk {
        // Any state but zero will do.
        Walk::new(Order::Chance { keys, state: 0x9e37_79b9_7f4a_7c15 ^ u64::from(seed) })
    }

    /// Every user once.
    pub(crate) fn over_all() -> Walk {
        Walk::new(Order::All { next: 0 })
    }

    fn new(order: Order) -> Walk {
        Walk { order, text: *b"user-aaaaaaaa" }
    }

    /// The next one.
    #[inline]
    pub(crate) fn user(&mut self) -> &str {
        let number = match &mut self.order {
            Order::Chance { keys, state } => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                u32::try_from(*state % u64::from(*keys)).unwrap_or(0)
            }
            Order::All { next } => {
                *next = next.wrapping_add(1);
                *next - 1
            }
        };
        // By an odd number, so no two users get one name; neighbours do not look alike.
        let bytes = number.wrapping_mul(0x9e37_79b1).to_le_bytes();
        let letters = bytes.iter().flat_map(|byte| [b'a' + (byte & 15), b'a' + (byte >> 4)]);
        for (place, letter) in self.text.iter_mut().skip(5).zip(letters) {
            *place = letter;
        }
        std::str::from_utf8(&self.text).unwrap_or_default()
    }
}
