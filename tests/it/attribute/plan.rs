use super::{admitted, by_hand};
use ratelimit::{Denied, Limit, Limiter, ManualClock, PlanName, Subject, rate_limit};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

#[rate_limit(
    key = "tenant",
    algo = "fixed_window",
    rate = plan(free = "2/min", "pro-plus" = "5/min", enterprise = unlimited, otherwise = "1/min"),
    plan = plan,
)]
async fn search(tenant: &str, plan: Option<&str>) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn each_plan_has_its_rate() {
    for (plan, passes) in
        [(Some("free"), 2), (Some("pro-plus"), 5), (Some("enterprise"), 20), (Some("gold"), 1), (None, 1)]
    {
        let (limiter, _clock) = by_hand();
        assert_eq!(limiter.scope(admitted(20, || search("acme", plan))).await, passes, "{plan:?}");
    }
}

#[tokio::test]
async fn change_of_plan_goes_for_the_next_call_and_neither_refills_nor_freezes() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(5, || search("acme", Some("free"))).await, 2);
            let denied = search("acme", Some("free")).await.unwrap_err();
            assert_eq!((denied.limit().plan(), denied.limit().rule().capacity()), (Some("free"), 2));
            // Two are used, whatever the plan.
            assert_eq!(admitted(20, || search("acme", Some("pro-plus"))).await, 3);
            assert_eq!(admitted(5, || search("acme", Some("free"))).await, 0);
            assert_eq!(admitted(5, || search("acme", Some("enterprise"))).await, 5);
            assert_eq!(admitted(5, || search("acme", Some("pro-plus"))).await, 0);
        })
        .await;
}

enum Tier {
    Free,
}

impl PlanName for Tier {
    fn plan_name(&self) -> Option<&str> {
        match self {
            Tier::Free => Some("free"),
        }
    }
}

#[rate_limit(key = "tenant", rate = plan(free = "2/min", otherwise = "1/min"), plan = tier)]
async fn typed(tenant: &str, tier: Tier) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn type_of_ones_own_can_name_a_plan() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(5, || typed("acme", Tier::Free))).await, 2);
}

#[rate_limit(key = "tenant", algo = "fixed_window", rate = plan(pro = "3/day", otherwise = "1/day"))]
async fn resolved(tenant: &str) -> Result<(), Denied> {
    Ok(())
}

/// What a resolver answers; the test may change it.
type Says = Arc<Mutex<Result<&'static str, ()>>>;

/// A limiter that asks for the plan of a tenant; what it is told, and how often it asked.
fn asking(clock: &ManualClock) -> (Limiter, Says, Arc<AtomicUsize>) {
    let (answer, asked) = (Arc::new(Mutex::new(Ok("pro"))), Arc::new(AtomicUsize::new(0)));
    let (says, counts) = (Arc::clone(&answer), Arc::clone(&asked));
    let resolve = move |subject: Subject| {
        assert_eq!(subject.value("tenant").as_deref(), Some("acme & co"));
        counts.fetch_add(1, Ordering::SeqCst);
        let answer = *says.lock().unwrap();
        async move { answer.map(|plan| Some(plan.to_owned())).map_err(|()| io::Error::other("no database")) }
    };
    let limiter =
        Limiter::builder().clock(clock.clone()).plans(Duration::from_secs(60), resolve).build().unwrap();
    (limiter, answer, asked)
}

#[tokio::test]
async fn resolver_is_asked_once_in_a_while_and_its_new_answer_goes_for_the_next_call() {
    let clock = ManualClock::new();
    let (limiter, answer, asked) = asking(&clock);
    limiter
        .scope(async {
            assert_eq!(admitted(5, || resolved("acme & co")).await, 3);
            assert_eq!(asked.load(Ordering::SeqCst), 1);
            *answer.lock().unwrap() = Ok("none");
            clock.advance(Duration::from_secs(60));
            let denied = resolved("acme & co").await.unwrap_err();
            assert_eq!((denied.limit().plan(), asked.load(Ordering::SeqCst)), (None, 2));
        })
        .await;
}

#[tokio::test]
async fn resolver_that_fails_goes_by_otherwise_and_is_asked_again_soon() {
    let clock = ManualClock::new();
    let (limiter, answer, asked) = asking(&clock);
    *answer.lock().unwrap() = Err(());
    limiter
        .scope(async {
            assert_eq!(admitted(5, || resolved("acme & co")).await, 1);
            assert_eq!(asked.load(Ordering::SeqCst), 1);
            *answer.lock().unwrap() = Ok("pro");
            clock.advance(Duration::from_secs(1));
            assert_eq!(admitted(5, || resolved("acme & co")).await, 2);
        })
        .await;
}

#[tokio::test]
async fn limit_that_is_described_at_run_time_has_plans_too() {
    let (limiter, _clock) = by_hand();
    let limit = Limit::builder("plans").key("global").rate("1/min").plan("pro", "2/min").unlimited("all");
    let limit = limit.build().unwrap();
    for (plan, passes) in [("pro", 2), ("all", 9), ("pro", 0), ("else", 0)] {
        assert_eq!(admitted(9, async || limiter.check(&limit).plan(plan).await).await, passes, "{plan}");
    }
    let twice = Limit::builder("plans").key("global").rate("1/min").plan("a", "2/min").plan("a", "3/min");
    assert!(twice.build().unwrap_err().to_string().contains("the plan `a` has two rates"));
    let mixed = Limit::builder("plans").key("global").rate("1/min").plan("a", "2 tokens/min");
    assert!(mixed.build().unwrap_err().to_string().contains("count different things"));
}
