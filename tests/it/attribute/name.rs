use super::by_hand;
use ratelimit::{Denied, rate_limit};

#[rate_limit(name = "shared", key = "user", rate = "2/min")]
async fn first(user: u8) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(name = "shared", key = "user", rate = "2/min")]
async fn second(user: u8) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn functions_of_one_name_share_a_budget() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            first(1).await.unwrap();
            second(1).await.unwrap();
            let denied = first(1).await.unwrap_err();
            assert_eq!(denied.limit().name(), "shared");
        })
        .await;
}

struct Cart;
struct Basket;
struct Generic<T>(T);

trait Add {
    async fn add(&self) -> Result<(), Denied>;
}

impl Cart {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn add(&self) -> Result<(), Denied> {
        Ok(())
    }
}

impl Basket {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn add(&self) -> Result<(), Denied> {
        Ok(())
    }
}

impl Add for Cart {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn add(&self) -> Result<(), Denied> {
        Ok(())
    }
}

impl<T> Generic<T> {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn add(&self) -> Result<(), Denied> {
        let _ = &self.0;
        Ok(())
    }
}

#[tokio::test]
async fn methods_of_one_name_on_different_types_never_share() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            Cart.add().await.unwrap();
            Basket.add().await.unwrap();
            Add::add(&Cart).await.unwrap();
            let names = [
                Cart.add().await.unwrap_err(),
                Basket.add().await.unwrap_err(),
                Add::add(&Cart).await.unwrap_err(),
            ]
            .map(|denied| denied.limit().name().to_owned());
            assert!(names[0].ends_with("::name::Cart::add"), "{names:?}");
            assert!(names[1].ends_with("::name::Basket::add"), "{names:?}");
            assert!(names[2].contains("Cart.") && names[2].ends_with("::name::Add::add"), "{names:?}");
        })
        .await;
}

#[tokio::test]
async fn generic_method_shares_one_budget_for_all_types() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            Generic(1_u8).add().await.unwrap();
            let denied = Generic("text").add().await.unwrap_err();
            assert!(denied.limit().name().ends_with("::name::Generic::add"), "{denied:?}");
        })
        .await;
}

#[test]
fn every_annotated_function_of_the_binary_is_listed() {
    let mut shared: Vec<_> = ratelimit::sites()
        .filter(|site| site.limits().any(|limit| limit.name() == "shared"))
        .map(|site| site.function())
        .collect();
    shared.sort_unstable();
    assert_eq!(shared.len(), 2, "{shared:?}");
    assert!(shared[0].ends_with("::name::first") && shared[1].ends_with("::name::second"), "{shared:?}");
}

mod disagreeing {
    use super::*;
    use ratelimit::{DeniedKind, ErrorKind, Limiter};

    #[rate_limit(name = "name.disagrees", key = "user", rate = "2/min")]
    async fn one(user: u8) -> Result<(), Denied> {
        Ok(())
    }

    #[rate_limit(name = "name.disagrees", key = "user", rate = "3/min")]
    async fn other(user: u8) -> Result<(), Denied> {
        Ok(())
    }

    #[tokio::test]
    async fn functions_of_one_name_have_to_agree_and_both_are_told() {
        let (limiter, _clock) = by_hand();
        for call in [limiter.scope(one(1)).await, limiter.scope(other(1)).await] {
            let denied = call.unwrap_err();
            assert_eq!(denied.kind(), DeniedKind::Conflict);
            let told = denied.to_string();
            let parts = ["name.disagrees", "its rate", "disagreeing::one", "disagreeing::other", "name.rs:"];
            assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        }
        let error = Limiter::in_memory().install().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(error.to_string().contains("name.disagrees"), "{error}");
    }
}
