//! The values of a key's words, encoded as they came.

use super::part::Slot;
use core::ops::Range;
use smallvec::SmallVec;

/// The values of one layer's key: of its parameters, by slot, and of its request words, in written order.
///
/// Encoded at once into one buffer, so that nothing of the caller stays borrowed while a decision is awaited.
#[derive(Debug, Default)]
pub(crate) struct Values {
    pub(super) bytes: SmallVec<[u8; 64]>,
    parameters: SmallVec<[Place; 2]>,
    requests: SmallVec<[Place; 1]>,
}

/// Where a value stands in the buffer; `None` if it is missing.
type Place = Option<Range<usize>>;

/// Which word a value is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Parameter(usize),
    /// The request word that comes next.
    Request,
}

impl Values {
    /// Where the value of a parameter word is to be written; missing until it is.
    pub(crate) fn parameter_slot(&mut self, slot: usize) -> Slot<'_> {
        if self.parameters.len() <= slot {
            self.parameters.resize(slot + 1, None);
        }
        Slot::new(self, Target::Parameter(slot))
    }

    /// Hands the place for the next request word to `read`; the word is missing if nothing is written.
    pub(super) fn read_next_request(&mut self, read: impl FnOnce(Slot<'_>)) {
        let number = self.requests.len();
        self.requests.push(None);
        read(Slot::new(self, Target::Request));
        debug_assert_eq!(self.requests.len(), number + 1);
    }

    pub(super) fn place(&mut self, target: Target, range: Range<usize>) {
        let place = match target {
            Target::Parameter(slot) => self.parameters.get_mut(slot),
            Target::Request => self.requests.last_mut(),
        };
        if let Some(place) = place {
            *place = Some(range);
        }
    }

    pub(super) fn parameter(&self, slot: usize) -> Option<&[u8]> {
        self.bytes.get(self.parameters.get(slot)?.clone()?)
    }

    pub(super) fn request(&self, number: usize) -> Option<&[u8]> {
        self.bytes.get(self.requests.get(number)?.clone()?)
    }
}
