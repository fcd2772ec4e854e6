//! Every shape of function that can carry a denial.

use super::by_hand;
use ratelimit::{Denied, rate_limit};
use std::{
    fmt::{Debug, Display},
    future::Future,
    pin::Pin,
    sync::Arc,
};

#[derive(Debug, Default, Clone)]
struct Thing {
    id: u8,
    items: Vec<u8>,
}

impl Thing {
    #[rate_limit(key = "self.id", rate = "1/min")]
    async fn by_ref(&self) -> Result<u8, Denied> {
        Ok(self.id)
    }

    #[rate_limit(key = "item", rate = "1/min")]
    async fn by_mut(&mut self, item: u8) -> Result<&mut u8, Denied> {
        self.items.push(item);
        Ok(&mut self.items[0])
    }

    #[rate_limit(key = "self.id", rate = "1/min")]
    async fn by_value(mut self) -> Result<Thing, Denied> {
        self.id += 1;
        Ok(self)
    }

    #[rate_limit(key = "self.id", rate = "1/min")]
    async fn by_arc(self: Arc<Self>) -> Result<u8, Denied> {
        Ok(self.id)
    }

    #[rate_limit(key = "self.id", rate = "1/min")]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u8, Denied> {
        Ok(self.id)
    }

    #[rate_limit(key = "id", rate = "1/min")]
    async fn without_receiver(id: u8) -> Result<u8, Denied> {
        Ok(id)
    }
}

#[tokio::test]
async fn methods_of_every_receiver_are_limited() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            let mut thing = Thing { id: 7, items: Vec::new() };
            assert_eq!(thing.by_ref().await.unwrap(), 7);
            assert!(thing.by_ref().await.is_err());
            assert_eq!(*thing.by_mut(3).await.unwrap(), 3);
            assert!(thing.by_mut(3).await.is_err());
            assert_eq!(thing.clone().by_value().await.unwrap().id, 8);
            assert!(thing.clone().by_value().await.is_err());
            assert_eq!(Arc::new(thing.clone()).by_arc().await.unwrap(), 7);
            assert!(Arc::new(thing.clone()).by_arc().await.is_err());
            assert_eq!(Pin::new(&mut thing).by_pin().await.unwrap(), 7);
            assert!(Pin::new(&mut thing).by_pin().await.is_err());
            assert_eq!(Thing::without_receiver(1).await.unwrap(), 1);
            assert!(Thing::without_receiver(1).await.is_err());
        })
        .await;
}

trait Native {
    async fn run(&self, key: u8) -> Result<u8, Denied>;

    #[rate_limit(key = "key", rate = "1/min")]
    async fn provided(&self, key: u8) -> Result<u8, Denied> {
        Ok(key)
    }
}

impl Native for Thing {
    #[rate_limit(key = "key", rate = "1/min")]
    async fn run(&self, key: u8) -> Result<u8, Denied> {
        Ok(self.id + key)
    }
}

#[async_trait::async_trait]
trait Boxed {
    async fn run(&self, key: &str) -> Result<usize, Denied>;
}

#[async_trait::async_trait]
impl Boxed for Thing {
    #[rate_limit(key = "key", rate = "1/min")]
    async fn run(&self, key: &str) -> Result<usize, Denied> {
        let length = key.len();
        if length == 3 {
            return Ok(0);
        }
        Ok(length)
    }
}

#[tokio::test]
async fn trait_methods_are_limited_with_and_without_async_trait() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            let thing = Thing::default();
            assert!(Native::run(&thing, 1).await.is_ok() && Native::run(&thing, 1).await.is_err());
            assert!(thing.provided(1).await.is_ok() && thing.provided(1).await.is_err());
            assert_eq!(Boxed::run(&thing, "key").await.unwrap(), 0);
            assert!(Boxed::run(&thing, "key").await.is_err());
        })
        .await;
}

#[rate_limit(key = "key", rate = "1/min")]
fn returns_future(key: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
    async move { Ok(key) }
}

#[rate_limit(key = "key", rate = "1/min")]
fn returns_boxed(key: u8) -> Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    if key == 0 {
        return Box::pin(std::future::ready(Ok(0)));
    }
    Box::pin(async move { Ok(key) })
}

#[tokio::test]
async fn functions_that_return_a_future_are_limited_whichever_way_they_leave() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(returns_future(1).await.is_ok() && returns_future(1).await.is_err());
            assert!(returns_boxed(1).await.is_ok() && returns_boxed(1).await.is_err());
            assert!(returns_boxed(0).await.is_ok() && returns_boxed(0).await.is_err());
        })
        .await;
}

#[derive(Debug)]
enum OwnError {
    Limited(Denied),
    Other,
}

impl From<Denied> for OwnError {
    fn from(denied: Denied) -> Self {
        OwnError::Limited(denied)
    }
}

#[rate_limit(key = "node", rate = "2/min")]
#[allow(clippy::needless_lifetimes, reason = "two lifetimes that are written")]
async fn borrows<'a, 'b, T>(node: &'a str, other: &'b T) -> Result<Option<&'a str>, OwnError>
where
    T: ?Sized + Debug + Sync,
{
    if format!("{other:?}").is_empty() {
        Err(OwnError::Other)?;
    }
    Ok(node.get(..1))
}

#[rate_limit(key = "key", rate = "2/min")]
async fn hidden_ok(key: u8) -> Result<impl Iterator<Item = u8>, OwnError> {
    if key == 9 {
        return Err(OwnError::Other);
    }
    Ok(0..key)
}

#[rate_limit(key = "key", rate = "2/min")]
async fn coerces(key: u8) -> Result<Box<dyn Display + Send>, Box<dyn std::error::Error + Send + Sync>> {
    if key == 1 {
        return Ok(Box::new(key));
    }
    let text: String = std::str::from_utf8(&[key])?.to_owned();
    Ok(Box::new(text))
}

#[rate_limit(key = N, rate = "2/min")]
async fn const_generic<const N: usize>(numbers: [u8; N]) -> std::io::Result<usize> {
    Ok(numbers.len())
}

#[tokio::test]
async fn borrows_generics_and_hidden_types_pass_through() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(borrows("node", "x").await.unwrap(), Some("n"));
            assert!(borrows("node", &[1_u8][..]).await.is_ok());
            assert!(matches!(borrows("node", "x").await, Err(OwnError::Limited(denied)) if denied.can_pass_later()));
            assert_eq!(hidden_ok(3).await.unwrap().count(), 3);
            assert_eq!(coerces(1).await.map(|text| text.to_string()).ok().as_deref(), Some("1"));
            assert_eq!(coerces(b'a').await.map(|text| text.to_string()).ok().as_deref(), Some("a"));
            assert_eq!(const_generic([1, 2]).await.unwrap(), 2);
        })
        .await;
}

#[allow(clippy::toplevel_ref_arg, reason = "a pattern like any other")]
#[rate_limit(key = "a", rate = "9/min")]
async fn patterns(
    (mut a, b): (u8, u8),
    Thing { id, .. }: Thing,
    _: u8,
    ref kept: String,
    #[cfg(any())] gone: u8,
    #[cfg(not(any()))] _here: u8,
) -> Result<u8, Denied> {
    a += b + id;
    Ok(a + u8::try_from(kept.len()).unwrap_or(0))
}

#[tokio::test]
async fn destructured_mutable_and_conditional_parameters_are_kept() {
    let (limiter, _clock) = by_hand();
    let sum =
        limiter.scope(patterns((1, 2), Thing { id: 3, items: Vec::new() }, 0, "four".to_owned(), 0)).await;
    assert_eq!(sum.unwrap(), 10);
}

#[rate_limit(key = "key", rate = "1/min")]
#[rate_limit(key = "global", rate = "2/min")]
async fn layered(key: u8) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn layers_are_decided_together_and_a_denial_takes_from_none() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            layered(1).await.unwrap();
            for _ in 0..5 {
                assert!(layered(1).await.is_err());
            }
            layered(2).await.unwrap();
            assert!(layered(3).await.is_err());
        })
        .await;
}

fn is_send<T: Send>(_: &T) {}

#[rate_limit(key = "key", rate = "1/min")]
async fn shares_nothing<T: Send>(key: u8, value: T) -> Result<T, Denied> {
    std::future::ready(()).await;
    Ok(value)
}

#[tokio::test]
async fn future_is_send_where_the_plain_one_is() {
    // `Cell` is Send and not Sync: a reference to it, held over an await, would not be.
    is_send(&shares_nothing(1, std::cell::Cell::new(1)));
    is_send(&layered(1));
}

#[tokio::test]
async fn future_that_is_never_polled_takes_nothing() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            drop(layered(7));
            assert!(layered(7).await.is_ok());
        })
        .await;
}
