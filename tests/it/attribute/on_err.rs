use super::{by_hand, left};
use ratelimit::{Denied, Limit, rate_limit};

#[derive(Debug)]
enum Failed {
    Denied,
    Upstream { billed: u64 },
}

impl From<Denied> for Failed {
    fn from(_: Denied) -> Failed {
        Failed::Denied
    }
}

#[rate_limit(name = "on_err.refund", key = "tenant", rate = "100/min", cost = 10, settle = |units| *units)]
async fn refunds(tenant: &str) -> Result<u64, Failed> {
    Err(Failed::Upstream { billed: 3 })
}

#[rate_limit(name = "on_err.keep", key = "tenant", rate = "100/min", cost = 10, settle = |units| *units, on_err = keep)]
async fn keeps(tenant: &str) -> Result<u64, Failed> {
    Err(Failed::Upstream { billed: 3 })
}

#[rate_limit(
    name = "on_err.closure", key = "tenant", rate = "100/min", cost = 10, settle = |units| *units,
    on_err = |error| match error { Failed::Upstream { billed } => *billed, Failed::Denied => 0 },
)]
async fn billed(tenant: &str) -> Result<u64, Failed> {
    Err(Failed::Upstream { billed: 3 })
}

#[tokio::test]
async fn errored_call_costs_what_on_err_says() {
    let (limiter, _clock) = by_hand();
    let calls = async {
        refunds("acme").await.unwrap_err();
        keeps("acme").await.unwrap_err();
        billed("acme").await.unwrap_err();
    };
    limiter.scope(calls).await;
    for (name, expected) in [("on_err.refund", 100), ("on_err.keep", 90), ("on_err.closure", 97)] {
        let limit = Limit::builder(name).key("tenant").rate("100/min").build().unwrap();
        assert_eq!(left(&limiter, &limit, "acme").await, expected, "{name}");
    }
}
