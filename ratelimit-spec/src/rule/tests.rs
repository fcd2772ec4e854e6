use super::{Draft, EXACT, FailMode, Tick, check_name};
use crate::{Algorithm, Argument, Period};

fn faults(draft: Draft<'_>) -> Vec<(Argument, String)> {
    let faults = draft.check().unwrap_err();
    faults.into_iter().map(|fault| (fault.argument(), fault.to_string())).collect()
}

fn rate(text: &str) -> Draft<'_> {
    Draft { rate: Some(text), ..Draft::default() }
}

#[test]
fn tick_is_the_finest_with_exact_products() {
    let second = Period::from_micros(1_000_000);
    let day = Period::from_micros(86_400_000_000);
    assert_eq!(Tick::of(1_000_000, 20, second, None), Some(Tick::Micro));
    assert_eq!(Tick::of(1, 1, day, None), Some(Tick::Micro));
    assert_eq!(Tick::of(1_000_000, 1_000_000, day, None), Some(Tick::Milli));
    assert_eq!(Tick::of(1_000_000_000, 1_000_000_000, day, None), Some(Tick::Second));
    assert_eq!(Tick::of(u64::MAX, 1, second, None), None);
    // The last that fits, and the first that does not.
    assert_eq!(Tick::of(EXACT, 1, second, None), Some(Tick::Second));
    assert_eq!(Tick::of(EXACT + 1, 1, second, None), None);
    // A tick has to divide the period: no coarser one for 1.5 ms.
    assert_eq!(Tick::of(EXACT / 1_000, 1, Period::from_micros(1_500), None), None);
}

#[test]
fn default_algorithm_follows_from_the_burst() {
    assert_eq!(rate("10/s").check().unwrap().algorithm(), Algorithm::SlidingWindow);
    let rule = Draft { burst: Some(5), ..rate("10/s") }.check().unwrap();
    assert_eq!((rule.algorithm(), rule.capacity()), (Algorithm::TokenBucket, 5));
    let rule = Draft { algo: Some("leaky_bucket"), ..rate("10/s") }.check().unwrap();
    assert_eq!((rule.algorithm(), rule.capacity()), (Algorithm::LeakyBucket, 10));
}

#[test]
fn numbers_are_in_ticks() {
    let rule =
        Draft { algo: Some("sliding_log"), precision: Some("10s"), ..rate("500k/min") }.check().unwrap();
    let numbers = rule.numbers();
    assert_eq!((numbers.tick, numbers.period, numbers.slice), (1, 60_000_000, 10_000_000));
    let numbers = rate("$1000/day").check().unwrap().numbers();
    assert_eq!((numbers.tick, numbers.count, numbers.period), (1_000_000, 1_000_000_000, 86_400));
}

#[test]
fn every_fault_is_reported_at_once() {
    let draft = Draft {
        algo: Some("fixed_window"),
        rate: Some("0/mn"),
        burst: Some(0),
        queue: Some(3),
        precision: Some("1mn"),
        ..Draft::default()
    };
    let arguments: Vec<_> = faults(draft).into_iter().map(|(argument, _)| argument).collect();
    assert_eq!(
        arguments,
        [Argument::Rate, Argument::Precision, Argument::Burst, Argument::Queue, Argument::Precision]
    );
}

fn in_flight() -> Draft<'static> {
    Draft { algo: Some("concurrency"), limit: Some(32), ..Draft::default() }
}

#[test]
fn calls_in_flight_are_counted_by_holder_for_a_lease() {
    let rule = Draft { lease: Some("1min"), ..in_flight() }.check().unwrap();
    let numbers = rule.numbers();
    assert_eq!((numbers.count, numbers.capacity, numbers.tick, numbers.period), (32, 32, 1, 60_000_000));
    assert_eq!(in_flight().check().unwrap().numbers().period, 30_000_000);
}

#[test]
fn each_mistake_has_its_sentence() {
    let log = Draft { algo: Some("sliding_log"), ..rate("10/min") };
    for (draft, argument, part) in [
        (Draft { algo: Some("concurrency"), ..Draft::default() }, Argument::Limit, "`limit = 32`"),
        (Draft { limit: Some(0), ..in_flight() }, Argument::Limit, "at least 1"),
        (Draft { limit: Some(100_001), ..in_flight() }, Argument::Limit, "at most 100000"),
        (Draft { rate: Some("32/s"), ..in_flight() }, Argument::Rate, "write `limit = 32`"),
        (Draft { lease: Some("10ms"), ..in_flight() }, Argument::Lease, "at least `1s`"),
        (Draft { given: &[Argument::Cost], ..in_flight() }, Argument::Cost, "one slot"),
        (Draft { limit: Some(3), ..rate("1/s") }, Argument::Limit, "only `concurrency`"),
        (Draft { lease: Some("1min"), ..rate("1/s") }, Argument::Lease, "keep a permit"),
        (Draft { given: &[Argument::Settle], ..rate("1/s") }, Argument::Settle, "`cost = 1_000`"),
        (Draft { given: &[Argument::OnErr], ..rate("1/s") }, Argument::OnErr, "only a limit with `settle`"),
        (Draft { given: &[Argument::DefaultCost], ..rate("1/s") }, Argument::DefaultCost, "stands in"),
        (
            Draft { given: &[Argument::Cost, Argument::Settle, Argument::ChargeIf], ..rate("1/s") },
            Argument::ChargeIf,
            "remove one of the two",
        ),
        (Draft::default(), Argument::Rate, "missing"),
        (Draft { algo: Some("tokenbucket"), ..rate("1/s") }, Argument::Algo, "write `token_bucket`"),
        (Draft { algo: Some("magic"), ..rate("1/s") }, Argument::Algo, "there are `token_bucket`"),
        (
            Draft { burst: Some(1), algo: Some("sliding_log"), ..rate("1/s") },
            Argument::Burst,
            "only `token_bucket`",
        ),
        (Draft { queue: Some(1), ..rate("1/s") }, Argument::Queue, "only `leaky_bucket`"),
        (Draft { burst: Some(0), ..rate("1/s") }, Argument::Burst, "at least 1"),
        (Draft { precision: Some("1s"), ..rate("1/s") }, Argument::Precision, "only `sliding_log`"),
        (Draft { precision: Some("2min"), ..log }, Argument::Precision, "longer than the period"),
        (Draft { precision: Some("7s"), ..log }, Argument::Precision, "do not fill"),
        (Draft { precision: Some("1us"), ..log }, Argument::Precision, "too many"),
        (Draft { rate: Some("1M/h"), ..log }, Argument::Rate, "18 MB a key, write `precision = \"min\"`"),
        (
            Draft { algo: Some("leaky_bucket"), ..rate("100/h") },
            Argument::Algo,
            "the last waits about 59min, write how many calls may wait, for example `queue = 2`",
        ),
        (Draft { cost: Some(11), ..rate("10/s") }, Argument::Cost, "can never pass"),
        (rate("10_000_000_000_000_000/s"), Argument::Rate, "write at most 9007199254740992"),
        (Draft { burst: Some(u64::MAX), ..rate("1/s") }, Argument::Burst, "too large"),
    ] {
        let found = faults(draft);
        assert!(
            found.len() == 1 && found[0].0 == argument && found[0].1.contains(part),
            "{draft:?} should say {part}: {found:?}"
        );
    }
}

#[test]
fn queue_may_be_long_where_somebody_says_so() {
    let bucket = Draft { algo: Some("leaky_bucket"), ..rate("100/h") };
    assert!(Draft { queue: Some(100), ..bucket }.check().is_ok());
    assert!(Draft { given: &[Argument::Wait], ..bucket }.check().is_ok());
    assert!(Draft { rate: Some("100/min"), ..bucket }.check().is_ok());
    assert!(Draft { rate: Some("1/day"), ..bucket }.check().is_ok());
}

#[test]
fn fail_modes_are_read_by_name() {
    assert_eq!(FailMode::parse("closed"), Ok(FailMode::Closed));
    assert!(FailMode::parse("close").unwrap_err().to_string().contains("write `closed`"));
    assert!(FailMode::parse("ajar").unwrap_err().to_string().contains("`open`, `closed` or `local`"));
}

#[test]
fn names_are_short_and_plain() {
    assert_eq!(check_name("shop::Cart:add-2.x_y"), Ok(()));
    for (name, part) in [("", "empty"), ("a b", "` `"), ("größe", "`ö`"), (&"x".repeat(65), "65 characters")]
    {
        let sentence = check_name(name).unwrap_err().to_string();
        assert!(sentence.starts_with("`name`: ") && sentence.contains(part), "{sentence}");
    }
}
