use super::{admitted, by_hand};
use ratelimit::{ByDisplay, Denied, DeniedKind, KeyPart, Slot, rate_limit};
use std::{borrow::Cow, fmt, net::IpAddr, rc::Rc, sync::Arc};

#[rate_limit(key = "user", rate = "1/min")]
async fn by_user(user: &str) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn every_key_has_a_bucket_of_its_own() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(3, async || by_user("ann").await).await, 1);
            assert_eq!(admitted(3, async || by_user("bob").await).await, 1);
        })
        .await;
}

struct Account {
    id: u64,
    owner: Owner,
}

struct Owner {
    name: String,
}

#[rate_limit(key = "account.id + account.owner.name", rate = "1/min")]
async fn by_fields(account: &Account) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn fields_of_parameters_are_parts() {
    let (limiter, _clock) = by_hand();
    let account = |id, name: &str| Account { id, owner: Owner { name: name.to_owned() } };
    limiter
        .scope(async {
            assert_eq!(admitted(2, async || by_fields(&account(1, "ann")).await).await, 1);
            assert_eq!(admitted(2, async || by_fields(&account(2, "ann")).await).await, 1);
            assert_eq!(admitted(2, async || by_fields(&account(2, "bob")).await).await, 1);
        })
        .await;
}

#[rate_limit(key = tenant.to_lowercase(), rate = "1/min")]
async fn by_expression(tenant: &str) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn expression_is_evaluated_over_the_parameters() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(1, async || by_expression("ACME").await).await, 1);
            assert_eq!(admitted(1, async || by_expression("acme").await).await, 0);
        })
        .await;
}

#[rate_limit(key = lookup(id).await?, rate = "1/min")]
async fn by_lookup(id: u8) -> Result<(), Denied> {
    Ok(())
}

async fn lookup(id: u8) -> Result<u8, Denied> {
    Ok(id / 2)
}

#[tokio::test]
async fn expression_may_await_and_return_early() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(by_lookup(2).await.is_ok());
            assert!(by_lookup(3).await.is_err());
            assert!(by_lookup(4).await.is_ok());
        })
        .await;
}

#[rate_limit(key = "user | address", rate = "1/min")]
async fn by_alternatives(user: Option<&str>, address: IpAddr) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn first_alternative_that_is_present_counts_and_kinds_do_not_mix() {
    let (limiter, _clock) = by_hand();
    let address: IpAddr = "127.0.0.1".parse().unwrap();
    limiter
        .scope(async {
            assert!(by_alternatives(None, address).await.is_ok());
            assert!(by_alternatives(None, address).await.is_err());
            // A user who is called like an address is not that address.
            assert!(by_alternatives(Some("127.0.0.1"), address).await.is_ok());
            assert!(by_alternatives(Some("127.0.0.1"), address).await.is_err());
        })
        .await;
}

#[rate_limit(key = "user", rate = "1/min")]
async fn by_option(user: Option<String>) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn part_without_value_is_a_denial_that_names_it_never_a_free_pass() {
    let (limiter, _clock) = by_hand();
    let denied = limiter.scope(by_option(None)).await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::MissingKey);
    assert_eq!(denied.retry_after(), None);
    assert!(denied.to_string().contains("`user`"), "{denied}");
}

struct Shown(u8);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shown-{}", self.0)
    }
}

struct Both(u8);

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("always the same")
    }
}

impl KeyPart for Both {
    fn write(&self, slot: Slot<'_>) {
        slot.number(self.0);
    }
}

macro_rules! any_type {
    ($($name:ident: $ty:ty = $one:expr, $other:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            #[rate_limit(key = "part", rate = "1/min")]
            async fn limited(part: $ty) -> Result<(), Denied> {
                Ok(())
            }
            let (limiter, _clock) = by_hand();
            limiter.scope(async {
                assert!(limited($one).await.is_ok());
                assert!(limited($one).await.is_err());
                assert!(limited($other).await.is_ok());
            }).await;
        }
    )*};
}

any_type! {
    text_is_a_part: &str = "a", "b";
    owned_text_is_a_part: String = "a".to_owned(), "b".to_owned();
    reference_to_owned_text_is_a_part: &String = &"a".to_owned(), &"b".to_owned();
    small_number_is_a_part: u8 = 1, 2;
    signed_number_is_a_part: i64 = -1, 1;
    wide_number_is_a_part: u128 = u128::MAX, 0;
    char_is_a_part: char = 'ä', 'a';
    address_is_a_part: IpAddr = "::1".parse().unwrap(), "127.0.0.1".parse().unwrap();
    cow_is_a_part: Cow<'static, str> = Cow::Borrowed("a"), Cow::Owned("b".to_owned());
    shared_text_is_a_part: Arc<str> = Arc::from("a"), Arc::from("b");
    local_pointer_is_a_part: Rc<i32> = Rc::new(1), Rc::new(2);
    nested_option_is_a_part: Option<Option<&String>> = Some(Some(&"a".to_owned())), Some(Some(&"b".to_owned()));
    printed_type_is_a_part: Shown = Shown(1), Shown(2);
    uuid_is_a_part: uuid::Uuid = uuid::Uuid::from_u128(1), uuid::Uuid::from_u128(2);
    type_with_both_is_written_as_a_part: Both = Both(1), Both(2);
    wrapper_makes_a_part_of_what_prints: ByDisplay<Shown> = ByDisplay(Shown(1)), ByDisplay(Shown(2));
}

async fn generic_part<T: KeyPart>(part: T) -> Result<(), Denied> {
    #[rate_limit(key = "part", rate = "1/min")]
    async fn limited<T: KeyPart>(part: T) -> Result<(), Denied> {
        Ok(())
    }
    limited(part).await
}

#[tokio::test]
async fn instances_of_a_generic_function_share_a_bucket() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(generic_part("7").await.is_ok());
            assert!(generic_part(7_u8).await.is_err());
        })
        .await;
}
