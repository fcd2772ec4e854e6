//! Other attributes on the same function, above and below.

use super::by_hand;
use ratelimit::{Denied, rate_limit};
use tracing::instrument;

#[instrument(skip_all, ret, err)]
#[rate_limit(key = "key", rate = "1/min")]
async fn instrument_above(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = "key", rate = "1/min")]
#[instrument(skip_all, ret, err)]
async fn instrument_below(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = "key", rate = "1/min")]
#[must_use = "it may be denied"]
#[doc = "Between."]
#[rate_limit(key = "global", rate = "5/min")]
async fn others_between(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[tokio::test]
async fn every_order_is_one_limit() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(instrument_above(1).await.is_ok() && instrument_above(1).await.is_err());
            assert!(instrument_below(1).await.is_ok() && instrument_below(1).await.is_err());
            assert!(others_between(1).await.is_ok() && others_between(1).await.is_err());
        })
        .await;
}
