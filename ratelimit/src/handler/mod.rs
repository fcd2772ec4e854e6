//! Annotated HTTP handlers: the hidden extractor that decides before the handler runs, and what the handler returns.

pub mod fit;
mod guard;
mod limited;

#[cfg(any(feature = "axum", feature = "actix"))]
pub(crate) use guard::Gate;
#[cfg(feature = "actix")]
pub(crate) use guard::Passed;
pub use guard::{Guard, Id, Marker, SiteOf, id};
pub use limited::Limited;
