use super::by_hand;
use ratelimit::{Denied, Limit, Limiter, rate_limit};
use ratelimit_tests::RedisServer;
use std::time::Duration;

#[rate_limit(key = "tenant", name = "colocate.tenant", rate = "10/min", colocate = "tenant")]
#[rate_limit(key = "tenant + user", name = "colocate.user", rate = "3/min", colocate = "tenant")]
async fn search(tenant: &str, user: &str) -> Result<(), Denied> {
    let _ = (tenant, user);
    Ok(())
}

fn tag(key: &str) -> &str {
    &key[key.find('{').unwrap()..key.find('}').unwrap()]
}

#[tokio::test]
async fn colocate_gives_all_layers_of_a_value_one_hash_tag() {
    let server = RedisServer::start();
    let limiter = Limiter::builder().redis(server.url()).deadline(Duration::from_secs(10)).build().unwrap();
    let limiter = &limiter;
    let keys = async |tenant: &str| {
        server.ask::<()>(&redis::cmd("FLUSHALL"));
        for user in ["ann", "bob", "eve"] {
            limiter.scope(search(tenant, user)).await.unwrap();
        }
        let keys = server.keys();
        assert_eq!(keys.len(), 4, "{keys:?}");
        assert!(keys.iter().all(|key| tag(key) == tag(&keys[0])), "{keys:?}");
        keys[0].clone()
    };
    let (acme, other) = (keys("acme").await, keys("{other}").await);
    assert_ne!(tag(&acme), tag(&other));
}

#[tokio::test]
async fn colocate_changes_nothing_of_who_is_counted() {
    let (limiter, _clock) = by_hand();
    for (user, passes) in [("ann", 3), ("bob", 3), ("eve", 3), ("dan", 1)] {
        for number in 0..5 {
            let outcome = limiter.scope(search("acme", user)).await;
            assert_eq!(outcome.is_ok(), number < passes, "{user}");
        }
    }
}

#[test]
fn colocate_names_a_part_that_every_key_has() {
    let fault = |key, part| {
        let limit = Limit::builder("colocate").key(key).rate("1/min").colocate(part).build();
        limit.err().map(|error| error.to_string())
    };
    assert_eq!(fault("tenant + user", "tenant"), None);
    assert_eq!(fault("tenant", "tenant"), None);
    for (key, part, expected) in [
        ("tenant + user", "tennant", "write `tenant`"),
        ("tenant + user", "region", "write one of its parts: `tenant`, `user`"),
        ("tenant + (user | ip)", "user", "`user` is not in every call, write a part that is: `tenant`"),
        ("user | ip", "user", "leave out `colocate`"),
        ("global", "global", "leave out `colocate`"),
    ] {
        let fault = fault(key, part).unwrap();
        assert!(fault.contains(expected), "{fault}");
    }
}
