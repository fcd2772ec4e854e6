use super::{admitted, by_hand};
use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "tenant", rate = "1/min", when = is_trial)]
async fn export(tenant: &str, is_trial: bool) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn layer_that_does_not_apply_is_neither_asked_nor_charged() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(5, || export("acme", false)).await, 5);
            assert_eq!(admitted(5, || export("acme", true)).await, 1);
        })
        .await;
}

#[rate_limit(key = "tenant", rate = "1/min", when = size.is_some(), cost = size.ok_or(()).map_err(|()| Missing)?)]
#[rate_limit(key = "global", rate = "3/min")]
async fn upload(tenant: &str, size: Option<u64>) -> Result<(), Missing> {
    Ok(())
}

#[derive(Debug)]
struct Missing;

impl From<Denied> for Missing {
    fn from(_: Denied) -> Missing {
        Missing
    }
}

#[tokio::test]
async fn what_does_not_apply_is_not_evaluated_and_the_other_layers_decide() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(2, || upload("acme", None)).await, 2);
            assert_eq!(admitted(2, || upload("acme", Some(1))).await, 1);
            assert!(upload("acme", None).await.is_err());
        })
        .await;
}
