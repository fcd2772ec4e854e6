use super::{Rate, Unit};

#[test]
fn count_unit_and_period_are_read() {
    for (text, count, unit, micros) in [
        ("100/min", 100, Unit::Requests, 60_000_000),
        ("100 requests/min", 100, Unit::Requests, 60_000_000),
        ("10_000/h", 10_000, Unit::Requests, 3_600_000_000),
        ("100k tokens/min", 100_000, Unit::Named("tokens".into()), 60_000_000),
        ("5M/day", 5_000_000, Unit::Requests, 86_400_000_000),
        ("1/1m30s", 1, Unit::Requests, 90_000_000),
        ("$20/day", 20_000_000, Unit::MicroUsd, 86_400_000_000),
        ("$0.05/h", 50_000, Unit::MicroUsd, 3_600_000_000),
        ("$0.000_001/h", 1, Unit::MicroUsd, 3_600_000_000),
        ("$1_000/day", 1_000_000_000, Unit::MicroUsd, 86_400_000_000),
        ("$1k/day", 1_000_000_000, Unit::MicroUsd, 86_400_000_000),
    ] {
        let rate = Rate::parse(text).unwrap();
        assert_eq!((rate.count, rate.unit.clone(), rate.period.as_micros()), (count, unit, micros), "{text}");
        assert_eq!(Rate::parse(&rate.to_string()).unwrap(), rate, "{rate}");
    }
}

#[test]
fn each_mistake_has_its_sentence() {
    for (text, part) in [
        ("", "empty"),
        ("  ", "empty"),
        ("100", "write for example `100/min`"),
        ("/min", "no count"),
        ("0/min", "at least 1"),
        ("$0/min", "at least 1"),
        ("-5/min", "no sign, write `5`"),
        ("2.5/s", "no whole number"),
        ("10 /s", "a blank too many, write `10/s`"),
        ("10/ s", "no blank inside a period"),
        (" 10/s", "a blank too many"),
        ("10 big tokens/s", "one word"),
        ("10tokens/s", "write `10 tokens`"),
        ("x/s", "`x` is no count"),
        ("10 t√/s", "no unit"),
        ("100/mn", "no such period: `mn`, write `min`"),
        ("100/month", "30d"),
        ("100/min/s", "second `/`"),
        ("99999999999999999999/s", "too large"),
        ("$1.5000/day", "needless decimals, write `$1.50`"),
        ("$1.0000001/day", "six decimals"),
        ("$.5/day", "`$0.50`"),
        ("$5 usd/day", "without `usd`"),
        ("$18446744073709/day", "6"),
    ] {
        match Rate::parse(text) {
            Err(fault) => {
                let sentence = fault.to_string();
                assert!(sentence.starts_with("`rate`: ") && sentence.contains(part), "{text}: {sentence}");
                assert!(!fault.with_mark().is_empty());
            }
            // Read, and refused by the rule: no tick fits it.
            Ok(rate) => assert!(rate.count > 1 << 53, "{text}"),
        }
    }
}
