use super::{admitted, by_hand};
use ratelimit::{Denied, LayerOutcome, Limit, Limiter, Scope, rate_limit};
use ratelimit_tests::RedisServer;

#[rate_limit(key = "global", rate = "2/min", scope = "instance")]
async fn local() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn instance_is_counted_here_also_without_a_store() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(5, local)).await, 2);
}

#[tokio::test]
async fn each_instance_counts_for_itself_and_refuses_before_the_store_is_asked() {
    let server = RedisServer::start();
    let instance = || {
        Limiter::builder().redis(server.url()).deadline(std::time::Duration::from_secs(10)).build().unwrap()
    };
    for limiter in [instance(), instance()] {
        assert_eq!(limiter.scope(admitted(5, local)).await, 2);
    }
    assert!(server.keys().is_empty(), "{:?}", server.keys());
}

#[tokio::test]
async fn what_the_store_denies_comes_back_to_the_instance() {
    let server = RedisServer::start();
    let limiter =
        Limiter::builder().redis(server.url()).deadline(std::time::Duration::from_secs(10)).build().unwrap();
    let here =
        Limit::builder("scope.here").key("global").rate("3/min").scope(Scope::Instance).build().unwrap();
    let there = Limit::builder("scope.there").key("global").rate("1/min").build().unwrap();
    limiter.check(&here).and(&there).await.unwrap();
    for _ in 0..5 {
        let denied = limiter.check(&here).and(&there).await.unwrap_err();
        assert_eq!(denied.limit().name(), "scope.there");
        let left = denied.decision().layers()[0].numbers().unwrap().remaining;
        assert_eq!(left, 2, "taken and given back");
    }
    limiter.check(&here).await.unwrap();
    limiter.check(&here).await.unwrap();
    let denied = limiter.check(&here).and(&there).await.unwrap_err();
    assert_eq!(denied.limit().name(), "scope.here");
    assert_eq!(denied.decision().layers()[1].outcome(), LayerOutcome::NotAsked);
}
