//! The whole way from tokens to tokens: what is said of a mistake, and what comes out of a limit without one.

mod expansions;

use crate::{expand, place::Place};
use proc_macro2::TokenStream;
use quote::quote;

fn expanded(arguments: TokenStream, item: TokenStream) -> String {
    expand(arguments, item, Place([7, 5, 0])).to_string()
}

/// The sentences of an expansion.
fn sentences(expanded: &str) -> Vec<String> {
    let errors = expanded.split("compile_error ! { \"").skip(1);
    errors.filter_map(|rest| Some(rest.split_once("\" }")?.0.replace("\\\"", "\""))).collect()
}

fn faults(arguments: TokenStream, item: TokenStream) -> Vec<String> {
    sentences(&expanded(arguments, item))
}

fn function() -> TokenStream {
    quote! { async fn f(user: u8) -> Result<(), E> { Ok(()) } }
}

#[test]
fn every_fault_is_reported_and_the_function_is_still_there() {
    let expanded = expanded(
        quote! { key = "usr", rate = "100/mn", burts = 3, wait = 5, cost = 1.5 },
        quote! { #[doc = "x"] #[rate_limit(key = "nobody", rate = "1/s")] async fn f(user: u8) -> R { } },
    );
    assert_eq!(sentences(&expanded).len(), 6, "{expanded}");
    assert!(expanded.ends_with("# [doc = \"x\"] async fn f (user : u8) -> R { }"), "{expanded}");
}

#[test]
fn each_mistake_has_its_sentence() {
    for (arguments, part) in [
        (quote! { key = "user" }, "`rate`: missing"),
        (quote! { rate = "1/s" }, "`key`: missing, write who is counted"),
        (quote! { key = "user", rate = "1/s", cots = 3 }, "no such argument: `cots`, write `cost`"),
        (quote! { ky = "user", rate = "1/s" }, "no such argument: `ky`, write `key`"),
        (quote! { key = "user", rate = 100 / min }, "write `rate = \"100/min\"`"),
        (quote! { key = "user", rate = "1/s", algo = token_bucket }, "write `algo = \"token_bucket\"`"),
        (quote! { key = "user", rate = "1/s", wait = 5 }, "write `wait = \"5s\"`"),
        (quote! { key = "user", rate = "1/s", wait = 5s }, "write `wait = \"5s\"`"),
        (quote! { key = "user", rate = "1/s", name = search }, "write `name = \"search\"`"),
        (quote! { key = "user", rate = "1/s", burst = "20" }, "without quotes, write `burst = 20`"),
        (quote! { key = "user", rate = "1/s", burst = 2k }, "no suffix outside of a rate, write `2000`"),
        (quote! { key = "user", rate = "1/s", burst = -2 }, "can't be negative, write `burst = 2`"),
        (
            quote! { key = "user", rate = "1/s", burst = MOST },
            "whole number in digits, write for example `burst = 20`",
        ),
        (quote! { key = "user", rate = "1/s", cost = "3" }, "write `cost = 3`"),
        (quote! { key = "user", rate = "1/s", cost = 1.5 }, "`cost`: has to be a whole number"),
        (quote! { key = "user", rate = "1/s", handler = true }, "`handler`: has no value"),
        (quote! { key = "user", rate = "1/s", crate = "a::b" }, "write `crate = a::b`"),
        (
            quote! { key = "user", rate = "1/s", wait },
            "`wait`: misses its value, write for example `wait = \"2s\"`",
        ),
        (quote! { key = "user", rate = }, "`rate`: misses its value"),
        (quote! { key: "user", rate = "1/s" }, "no `=` in front of its value, write `key = \"user\"`"),
        (quote! { key("user"), rate = "1/s" }, "`key`: no `=` in front of its value, write `key = \"user\"`"),
        (quote! { key = "user" rate = "1/s" }, "no comma in front of `rate`"),
        (quote! { key = "user", "1/s" }, "`\"1/s\"` has no name, write `rate = \"1/s\"`"),
        (quote! { key = ip, rate = "1/s" }, "write `key = \"ip\"`"),
        (quote! { key = user + ip, rate = "1/s" }, "write `key = \"user + ip\"`"),
        (quote! { key = 5, rate = "1/s" }, "write `key = \"global\"`"),
        (quote! { key = "user.x²", rate = "1/s" }, "no field of a parameter"),
        (quote! { key = "user.99999999999", rate = "1/s" }, "no field of a parameter"),
        (quote! { key = user?, rate = "1/s", handler }, "`key`: `?` can't leave a handler"),
        (quote! { key = "ip", rate = "1/s", limiter = user.limiter }, "`user` is one"),
    ] {
        let faults = faults(arguments.clone(), function());
        assert!(
            matches!(&*faults, [one] if one.contains(part)),
            "{arguments} should say {part}: {faults:#?}"
        );
    }
}

#[test]
fn what_follows_from_a_fault_is_not_told_again() {
    for (arguments, count) in [
        (quote! { key = "user", rate = "100/mn", burst = "3", precision = "1x" }, 3),
        (quote! { key = "user", rate = 100, algo = "sliding_logs", precision = "1s" }, 2),
        (quote! { key = "user", rate = "1/s", burst = 0 }, 1),
        (quote! { ky = "user", rat = "1/s" }, 2),
    ] {
        let faults = faults(arguments.clone(), function());
        assert_eq!(faults.len(), count, "{arguments}: {faults:#?}");
    }
}

#[test]
fn function_that_cannot_be_limited_is_told_why() {
    for (item, part) in [
        (quote! { fn f(user: u8) {} }, "write `async fn`"),
        (quote! { const fn f(user: u8) {} }, "a `const fn` can't wait"),
        (quote! { async fn f(&self, user: u8); }, "no body to guard"),
        (quote! { impl A { async fn f(user: u8) {} } }, "this is `impl`"),
        (quote! { const X: u8 = 1; }, "this is `const`"),
        (quote! { async fn f(user: u8) { let __ratelimit_call = 1; } }, "another name"),
    ] {
        let faults = faults(quote! { key = "user", rate = "1/s" }, item.clone());
        assert!(matches!(&*faults, [one] if one.contains(part)), "{item} should say {part}: {faults:#?}");
    }
    for item in [quote! { async fn f(&self) -> R {} }, quote! { fn f() -> impl Future<Output = R> {} }] {
        let faults = faults(quote! { key = "ip", rate = "1/s" }, item.clone());
        assert!(matches!(&*faults, [one] if one.contains("`ip` asks the request")), "{item}: {faults:#?}");
    }
}

#[test]
fn half_typed_code_gets_no_error_of_ours() {
    let expanded_body = expanded(
        quote! { key = "user", rate = "100/min" },
        quote! { async fn f(user: u8) -> Result<(), E> { let x = ; user. } },
    );
    assert!(sentences(&expanded_body).is_empty() && expanded_body.contains("let x = ; user ."));
    let unreadable = quote! { async fn f(x) -> };
    assert_eq!(expanded(quote! {}, unreadable.clone()), unreadable.to_string());
}

#[test]
fn layers_below_are_collected_in_written_order() {
    let expanded = expanded(
        quote! { key = "user", rate = "1/s" },
        quote! {
            #[doc = "between"]
            #[ratelimit::rate_limit(key = "global", rate = "5/s")]
            async fn f(user: u8) -> R { }
        },
    );
    assert!(sentences(&expanded).is_empty() && !expanded.contains("# [ratelimit"), "{expanded}");
    let place = |text: &str| expanded.find(text).unwrap_or_else(|| panic!("{text} in {expanded}"));
    assert!(place("Facts ; 2usize") < place("\"user\"") && place("\"user\"") < place("Key :: Global"));
}

#[test]
fn layers_that_would_share_a_bucket_need_names() {
    let with = |below: TokenStream| {
        let item = quote! { #[rate_limit(#below)] async fn f(user: u8, other: u8) -> R {} };
        faults(quote! { key = "user", rate = "1/s", burst = 2 }, item)
    };
    let fault = with(quote! { key = "user | other", rate = "100/h", burst = 20 });
    assert!(matches!(&*fault, [one] if one.contains("in one bucket")), "{fault:#?}");
    let fault = faults(
        quote! { key = "user", rate = "1/s", name = "f" },
        quote! { #[rate_limit(key = "other", rate = "5/h", name = "f")] async fn f(user: u8, other: u8) -> R {} },
    );
    assert!(matches!(&*fault, [one] if one.contains("`f` is the name of two layers")), "{fault:#?}");
    for fine in [
        quote! { key = "user", rate = "100/h", burst = 20, name = "f-per-h" },
        quote! { key = "user", rate = "100/h" },
        quote! { key = "user + other", rate = "100/h", burst = 20 },
        quote! { key = "global", rate = "100/h", burst = 20 },
    ] {
        assert_eq!(with(fine), [""; 0]);
    }
}

#[test]
fn argument_given_twice_is_shown_at_both_places() {
    let faults = faults(quote! { key = "user", rate = "1/s", rate = "2/s" }, function());
    assert_eq!(
        faults,
        [
            "`rate`: given here, and a second time below",
            "`rate`: given twice (first as `\"1/s\"`), remove one of them"
        ]
    );
}

#[test]
fn layer_that_never_decides_is_told() {
    let with = |above: TokenStream, below: TokenStream| {
        let item = quote! { #[rate_limit(#below)] async fn f(user: u8, tenant: u8) -> R {} };
        faults(above, item)
    };
    let loose = quote! { key = "user", rate = "200/min" };
    let tight = quote! { key = "global", rate = "100/min" };
    let sentence = "`rate`: `200/min` by `user` is never reached, `100/min` by `global` denies first, write less \
                    than that or remove this layer";
    assert_eq!(with(loose.clone(), tight.clone()), [sentence]);
    assert_eq!(with(tight.clone(), loose.clone()), [sentence]);
    for other in [
        quote! { key = "user", rate = "200/min", name = "shared" },
        quote! { key = "user", rate = "200/min", when = user > 3 },
        quote! { key = "user", rate = "200/min", cost = 2 },
        quote! { key = "user", rate = "200/min", scope = "instance" },
        quote! { key = "user", rate = "200/min", charge_if = |out| out.is_ok() },
        quote! { key = "user", rate = "200/min", algo = "fixed_window" },
        quote! { key = "user", rate = plan(pro = "300/min", otherwise = "200/min") },
        quote! { key = "user", rate = "200 tokens/min" },
        quote! { key = "user", rate = "200/s" },
        quote! { key = "user", rate = "20/min" },
    ] {
        assert_eq!(with(tight.clone(), other.clone()), [""; 0], "{other}");
    }
    let expressions = with(
        quote! { key = user / 2, rate = "10/min", name = "half" },
        quote! { key = tenant, rate = "10/min" },
    );
    assert_eq!(expressions, [""; 0]);
}

#[test]
fn limiter_is_one_for_all_layers() {
    let with = |limiter: TokenStream| {
        let below = quote! { key = "global", rate = "9/s", limiter = #limiter };
        faults(
            quote! { key = "user", rate = "1/s", limiter = a.b },
            quote! { #[rate_limit(#below)] async fn f(user: u8) -> R {} },
        )
    };
    assert_eq!(with(quote! { a.b }), [""; 0]);
    assert!(matches!(&*with(quote! { a.c }), [one] if one.contains("one holds for all layers")));
}

#[test]
fn handler_moves_below_what_reads_its_signature_once() {
    let item = quote! { #[tracing::instrument(skip_all)] async fn f() {} };
    let first = expanded(quote! { key = "ip", rate = "1/s" }, item.clone());
    assert!(
        first.starts_with("# [tracing :: instrument (skip_all)] # [:: ratelimit :: rate_limit"),
        "{first}"
    );
    let second = expanded(quote! { __ratelimit_moved, key = "ip", rate = "1/s" }, item);
    assert!(second.contains("Guard"), "{second}");
}
