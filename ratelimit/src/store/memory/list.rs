//! Several charges at once: all are judged at one instant, and all are taken or none.

use super::{
    Left, Memory, max_delay,
    shard::{Entry, Fingerprint, Shard},
    verdict,
};
use crate::{
    algorithm::{Admission, State, View},
    lock::lock,
    store::{Charge, Receipt, Verdict, Verdicts},
};
use smallvec::SmallVec;
use std::sync::MutexGuard;

/// A shard that this call has locked, by its number.
type Locked<'a> = (usize, MutexGuard<'a, Shard>);

/// An admitted charge that holds a permit, with its place and what it took.
type Held<'a> = (&'a Charge<'a>, Fingerprint, usize, Option<Receipt>);

/// One charge on its way to a verdict.
struct Judged<'a> {
    charge: &'a Charge<'a>,
    fingerprint: Fingerprint,
    shard: usize,
    /// The key as it was found.
    before: View,
    /// The key with all that this call took of it so far.
    after: View,
    /// What `after` is a view of, where that is not the state that was found.
    base: Option<State>,
    admission: Admission,
    /// Whether this charge took something.
    takes: bool,
    /// Whether anything was taken between `base` and `after`.
    differs: bool,
}

impl Memory {
    /// Locks the shards in one order, so that two calls never wait for each other.
    #[inline(never)]
    pub(super) fn decide_list(&self, charges: &[Charge<'_>]) -> Verdicts {
        let places: SmallVec<[_; 8]> = charges.iter().map(|charge| self.place(charge.key)).collect();
        let mut numbers: SmallVec<[usize; 8]> = places.iter().map(|(_, shard)| *shard).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut locked: SmallVec<[Locked<'_>; 8]> =
            numbers.iter().filter_map(|shard| Some((*shard, lock(self.shards.get(*shard)?)))).collect();
        // One instant for all, read when nobody else can be writing.
        let now = self.clock.now_micros();
        for (_, shard) in &mut locked {
            shard.sweep(now);
        }

        let mut judged: SmallVec<[Judged<'_>; 4]> = SmallVec::new();
        for (charge, (fingerprint, shard)) in charges.iter().zip(places) {
            let Some((_, table)) = locked.iter().find(|(number, _)| *number == shard) else { continue };
            let state = table.find(fingerprint).map(Entry::state);
            let earlier = judged.iter().rev().find(|earlier| earlier.fingerprint == fingerprint);
            let this = Judged::new(charge, (fingerprint, shard), state, earlier, now);
            judged.push(this);
        }

        let all_fit = judged.iter().all(|this| matches!(this.admission, Admission::Fits(_)));
        let verdicts = judged.iter().map(|this| this.verdict(all_fit)).collect();
        if all_fit {
            let holds: SmallVec<[Held<'_>; 4]> = judged.iter().filter_map(Judged::held).collect();
            take(judged, &mut locked, now);
            hold(&holds, &mut locked, now);
        }
        verdicts
    }
}

/// Writes each key once, as the last charge that took of it has left it.
fn take(judged: SmallVec<[Judged<'_>; 4]>, locked: &mut [Locked<'_>], now: u64) {
    let mut written: SmallVec<[Fingerprint; 8]> = SmallVec::new();
    for this in judged.into_iter().rev().filter(|this| this.takes) {
        let Some((_, table)) = locked.iter_mut().find(|(number, _)| *number == this.shard) else { continue };
        if written.contains(&this.fingerprint) {
            continue;
        }
        written.push(this.fingerprint);
        let numbers = &this.charge.numbers;
        let left = Left::of(numbers, &this.after);
        match table.find_mut(this.fingerprint) {
            Some(entry) => entry.write(numbers, this.after, left, this.base),
            None => table.insert(this.fingerprint, numbers, this.after, left, this.base, now),
        }
    }
}

/// Writes down what each charge took that holds a permit.
fn hold(holds: &[Held<'_>], locked: &mut [Locked<'_>], now: u64) {
    for (charge, fingerprint, shard, receipt) in holds {
        if let Some((_, table)) = locked.iter_mut().find(|(number, _)| number == shard) {
            table.hold(*fingerprint, charge, *receipt, now);
        }
    }
}

impl<'a> Judged<'a> {
    /// Judges a charge on top of the earlier ones of its key: they add up.
    fn new(
        charge: &'a Charge<'a>,
        (fingerprint, shard): (Fingerprint, usize),
        state: Option<&State>,
        earlier: Option<&Judged<'_>>,
        now: u64,
    ) -> Judged<'a> {
        let numbers = &charge.numbers;
        let before = View::of(numbers, state, now);
        let (base, mut after, differs) = match earlier {
            None => (None, before, false),
            Some(earlier) if earlier.charge.numbers == *numbers => {
                (earlier.base.clone(), earlier.after, earlier.differs)
            }
            // Another rule on the same key reads what the earlier one would have written.
            Some(earlier) => {
                let old = earlier.base.clone().or_else(|| state.cloned());
                let base = if earlier.differs {
                    Some(earlier.after.write(&earlier.charge.numbers, old))
                } else {
                    old
                };
                let after = View::of(numbers, base.as_ref(), now);
                (base, after, false)
            }
        };
        let admission = after.admit(numbers, base.as_ref().or(state), charge.cost, max_delay(charge));
        let takes = charge.takes() && matches!(admission, Admission::Fits(_));
        if takes {
            after.take(numbers, charge.cost);
        }
        let differs = differs || takes;
        Judged { charge, fingerprint, shard, before, after, base, admission, takes, differs }
    }

    fn held(&self) -> Option<Held<'a>> {
        let receipt = || self.takes.then(|| self.after.receipt(&self.charge.numbers));
        self.charge.hold.map(|_| (self.charge, self.fingerprint, self.shard, receipt()))
    }

    fn verdict(&self, all_fit: bool) -> Verdict {
        let numbers = &self.charge.numbers;
        let view = if all_fit { &self.after } else { &self.before };
        let receipt = (all_fit && self.takes).then(|| view.receipt(numbers));
        verdict(numbers, Left::of(numbers, view), self.admission, receipt)
    }
}
