//! Names of the user's that generated code must not meet.

use super::by_hand;
use ratelimit::rate_limit;

#[allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms)]
mod shadowed {
    use ratelimit::rate_limit;

    mod std {}
    mod core {}
    mod tokio {}
    struct Result;
    struct Ok;
    struct Err;
    struct Some;
    struct Box;
    struct SITE;
    struct FACTS;
    fn here() {}

    trait Hijack {
        fn part(&self) {}
        fn cost(&self) {}
        fn admit(&self) {}
        fn key(&self) {}
    }
    impl<T> Hijack for T {}

    #[rate_limit(key = "key + store + limiter + call + __key", rate = "1/min", cost = cost)]
    #[allow(clippy::too_many_arguments)]
    pub(super) async fn busy_names(
        key: u8,
        store: u8,
        limiter: u8,
        call: u8,
        __key: u8,
        cost: u64,
        now: u8,
        permit: u8,
    ) -> ::core::result::Result<u8, ::ratelimit::Denied> {
        ::core::result::Result::Ok(key + store + limiter + call + __key + now + permit)
    }
}

#[tokio::test]
async fn user_names_mean_what_the_user_meant() {
    let (limiter, _clock) = by_hand();
    let sum = limiter.scope(shadowed::busy_names(1, 2, 3, 4, 5, 1, 6, 7)).await;
    assert_eq!(sum.unwrap(), 28);
}

macro_rules! limited {
    ($name:ident, $parameter:ident, $rate:literal) => {
        #[rate_limit(key = "a", rate = $rate)]
        async fn $name(a: u8, $parameter: u8) -> ::core::result::Result<u8, ::ratelimit::Denied> {
            ::core::result::Result::Ok(a + $parameter)
        }
    };
}
limited!(from_a_macro, b, "1/min");

#[tokio::test]
async fn function_written_by_a_macro_is_limited() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(from_a_macro(1, 2).await.unwrap(), 3);
            assert!(from_a_macro(1, 2).await.is_err());
        })
        .await;
}
