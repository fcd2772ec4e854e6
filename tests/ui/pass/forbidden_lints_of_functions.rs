//! Functions in a crate where nobody below may allow a lint again.
#![forbid(missing_docs, unreachable_pub, unused, unsafe_code, missing_debug_implementations, missing_copy_implementations)]
#![forbid(unused_parens, unused_braces, unused_imports, unused_mut, unreachable_code, non_camel_case_types)]
use ratelimit::{Denied, Limiter, rate_limit};
use std::future::Future;

/// A function.
#[rate_limit(key = "tenant", rate = "1/min", cost = tenant.len(), limiter = Limiter::in_memory())]
pub async fn function(tenant: &str) -> Result<usize, Denied> {
    Ok(tenant.len())
}

/// F.
#[rate_limit(key = "a", rate = "1/min")]
pub fn later(a: u8) -> impl Future<Output = Result<u8, Denied>> {
    async move { Ok(a) }
}
fn main() {}
