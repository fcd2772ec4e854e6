//! Which server has which slot, as far as is known.

use super::{
    fault,
    link::Link,
    slot::SLOTS,
    topology::{Address, Range},
};
use crate::store::{Failure, FailureKind};
use ::redis::RedisError;
use core::fmt;
use std::sync::Arc;

/// A server and the connection to it.
pub(super) struct Node {
    pub(super) address: Address,
    pub(super) link: Link,
}

/// Slots, and the servers that have them.
#[derive(Default)]
pub(super) struct Routes {
    /// A place is the number of a server for as long as it serves anything.
    pub(super) nodes: Vec<Option<Arc<Node>>>,
    /// By slot; empty as long as nothing is known.
    pub(super) owners: Vec<Option<u16>>,
}

/// Makes a server of an address, without connecting to it.
pub(super) type Open<'o> = dyn Fn(&Address) -> Result<Node, Failure> + 'o;

impl Node {
    /// What an error of this server amounts to; it says which one.
    pub(super) fn failure(&self, error: RedisError) -> Failure {
        let kind = fault::kind(&error);
        Failure::new(kind).because(Reported { by: self.address.clone(), error })
    }
}

/// What a server said, or that it said nothing.
#[derive(Debug)]
struct Reported {
    by: Address,
    error: RedisError,
}

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reported { by, error } = self;
        write!(f, "{by}: {error}")?;
        match fault::way_out(error) {
            Some(way_out) => write!(f, "; {way_out}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Reported {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl Routes {
    pub(super) fn number(&self, slot: u16) -> Option<u16> {
        self.owners.get(usize::from(slot)).copied().flatten()
    }

    pub(super) fn node(&self, number: u16) -> Option<Arc<Node>> {
        self.nodes.get(usize::from(number))?.clone()
    }

    /// The number of the server at an address, which is a new one if it has none.
    pub(super) fn number_of(&mut self, address: &Address, open: &Open<'_>) -> Result<u16, Failure> {
        let is_it = |node: &Option<Arc<Node>>| node.as_ref().is_some_and(|node| node.address == *address);
        let number = match self.nodes.iter().position(is_it) {
            Some(number) => number,
            None => {
                let node = Some(Arc::new(open(address)?));
                if let Some(free) = self.nodes.iter().position(Option::is_none) {
                    if let Some(place) = self.nodes.get_mut(free) {
                        *place = node;
                    }
                    free
                } else {
                    self.nodes.push(node);
                    self.nodes.len() - 1
                }
            }
        };
        u16::try_from(number)
            .ok()
            .filter(|number| *number < SLOTS)
            .ok_or_else(|| Failure::new(FailureKind::Protocol).because("more servers than slots"))
    }

    /// By a new answer. Servers that serve nothing any more are let go of.
    pub(super) fn replace(&mut self, ranges: Vec<Range>, open: &Open<'_>) -> Result<(), Failure> {
        for node in &mut self.nodes {
            let serves = |range: &Range| node.as_ref().is_some_and(|node| node.address == range.primary);
            if !ranges.iter().any(serves) {
                *node = None;
            }
        }
        let mut owners = vec![None; usize::from(SLOTS)];
        for Range { slots, primary } in ranges {
            let number = self.number_of(&primary, open)?;
            for owner in
                owners.get_mut(usize::from(*slots.start())..=usize::from(*slots.end())).into_iter().flatten()
            {
                *owner = Some(number);
            }
        }
        self.owners = owners;
        Ok(())
    }
}
