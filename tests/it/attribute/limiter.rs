use super::{admitted, by_hand};
use ratelimit::{Denied, Limiter, rate_limit};
use std::sync::Arc;

struct Crawler {
    limiter: Limiter,
}

impl Crawler {
    #[rate_limit(key = "host", rate = "2/min", limiter = self.limiter)]
    async fn fetch(&self, host: &str) -> Result<(), Denied> {
        Ok(())
    }
}

#[tokio::test]
async fn each_limiter_counts_for_itself() {
    let crawler = || Crawler { limiter: by_hand().0 };
    let (one, other) = (crawler(), crawler());
    assert_eq!(admitted(5, async || one.fetch("a.example").await).await, 2);
    assert_eq!(admitted(5, async || other.fetch("a.example").await).await, 2);
}

#[rate_limit(key = "global", rate = "1/min", limiter = limiter)]
async fn by_reference(limiter: &Limiter) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "1/min", limiter = limiter)]
async fn by_shared_pointer(limiter: Arc<Limiter>) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn reference_and_pointer_name_a_limiter() {
    let (limiter, _clock) = by_hand();
    assert_eq!(admitted(3, async || by_reference(&limiter).await).await, 1);
    let shared = Arc::new(limiter);
    assert_eq!(admitted(3, async || by_shared_pointer(Arc::clone(&shared)).await).await, 1);
}

#[tokio::test]
async fn named_limiter_wins_over_that_of_the_task() {
    let (named, _clock) = by_hand();
    let (task, _clock) = by_hand();
    task.scope(async {
        assert_eq!(admitted(3, async || by_reference(&named).await).await, 1);
    })
    .await;
    assert_eq!(admitted(3, async || by_reference(&task).await).await, 1);
}
