//! Rates that go by plan: of the request, of a parameter, and without a limit.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

struct Tenant {
    id: u64,
    plan: Option<String>,
}

#[rate_limit(
    key = "tenant",
    rate = plan(free = "100/min", "pro-plus" = "10k/min", enterprise = unlimited, otherwise = "60/min"),
    plan = plan,
)]
async fn search(tenant: &str, plan: &str) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant.id", rate = plan(free = "10/h", otherwise = "1/h"), plan = tenant.plan)]
async fn export(tenant: &Tenant) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant | ip", name = "tenants", rate = plan(pro = "10k/min", otherwise = "60/min"))]
async fn handler() -> &'static str {
    "by the plan of the request"
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::get(handler));
}
