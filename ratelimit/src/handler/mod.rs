//! Annotated HTTP handlers: the hidden extractor that decides before the handler runs, and what the handler returns.

mod guard;
mod limited;

pub(crate) use guard::{Gate, Passed};
pub use guard::{Guard, Id, Marker, SiteOf, id};
pub use limited::Limited;
