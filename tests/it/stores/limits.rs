//! Limits that are described at run time: a wrong one is an error when it is made, never a panic in a request.

use ratelimit::{Limit, Limiter};
use ratelimit_tests::RATED;

#[test]
fn wrong_rate_is_an_error_that_quotes_it() {
    let rates = [
        "",
        " ",
        "10",
        "/s",
        "10/",
        "0/s",
        "-1/s",
        "1.5/s",
        "10/0s",
        "10/1.5s",
        "10 /s",
        "10/ s",
        "10/m",
        "10/month",
        "10/mn",
        "10/secs2",
        "10/18446744073709551615s",
        "1/1000000000000s",
        "18446744073709551615/1us",
        "18446744073709551616/s",
        "999999999999999999999k/s",
        "$0.0000001/day",
        "NaN/s",
        "inf/s",
        "1e9/s",
        "\u{0661}/s",
        "10/\u{1F980}",
    ];
    for rate in rates {
        for algo in RATED {
            let built = Limit::builder("wrong").key("user").rate(rate).algo(algo.word()).build();
            let error = built.map(|limit| limit.to_string()).unwrap_err();
            assert!(!error.faults().is_empty() && !error.to_string().is_empty(), "{rate}");
        }
    }
}

#[test]
fn wrong_capacity_or_precision_is_an_error() {
    let tokens = |burst| Limit::builder("wrong").key("user").rate("10/s").algo("token_bucket").burst(burst);
    assert!(tokens(0).build().is_err());
    assert!(tokens(u64::MAX).build().is_err());
    assert!(tokens(u64::from(u32::MAX) + 1).build().is_ok());
    let places = |queue| Limit::builder("wrong").key("user").rate("10/s").algo("leaky_bucket").queue(queue);
    assert!(places(0).build().is_err());
    assert!(places(u64::MAX).build().is_err());
    let log = |precision| {
        Limit::builder("wrong").key("user").rate("10/min").algo("sliding_log").precision(precision)
    };
    for precision in ["", "0s", "7s", "2min", "1.5s", "1us", "s s"] {
        assert!(log(precision).build().is_err(), "{precision}");
    }
    assert!(log("100ms").build().is_ok());
}

#[test]
fn every_fault_is_told_at_once() {
    let error = Limit::builder("no good").key("").rate("0/mn").algo("bucket").build().unwrap_err();
    assert!(error.faults().len() >= 4, "{error}");
}

#[tokio::test]
async fn period_below_a_second_is_one() {
    let limit = Limit::builder("fast").key("user").rate("1/100ms").build().unwrap();
    assert!(Limiter::in_memory().check(&limit).part("user", "ann").await.is_ok());
}
