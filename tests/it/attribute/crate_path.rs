use ratelimit::{Denied, Limiter, rate_limit};

/// A crate that re-exports ours under a name of its own.
mod framework {
    pub(crate) mod limits {
        pub(crate) use ratelimit::*;
    }
}

/// A module that is called like our crate must not get in the way.
#[allow(dead_code)]
mod ratelimit_of_ours {
    pub(super) struct Limiter;
}

#[rate_limit(crate = self::framework::limits, key = "global", rate = "1/min")]
async fn through_a_reexport() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn path_of_the_crate_can_be_another() {
    Limiter::in_memory()
        .scope(async {
            through_a_reexport().await.unwrap();
            assert!(through_a_reexport().await.is_err());
        })
        .await;
}
