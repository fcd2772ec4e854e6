use crate::expand;
use quote::quote;

fn errors(arguments: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> (usize, String) {
    let expanded = expand(arguments, item, [0, 0]).to_string();
    (expanded.matches("compile_error").count(), expanded)
}

#[test]
fn every_fault_is_reported_and_the_function_is_still_there() {
    let (count, expanded) = errors(
        quote! { key = "usr", rate = "100/mn", burts = 3, wait = 5, cost = 1.5 },
        quote! { async fn f(user: u8) -> Result<(), E> { Ok(()) } },
    );
    assert_eq!(count, 5, "{expanded}");
    assert!(expanded.contains("async fn f (user : u8)"), "{expanded}");
}

#[test]
fn half_typed_body_is_carried_as_it_is() {
    let (count, expanded) = errors(
        quote! { key = "user", rate = "100/min" },
        quote! { async fn f(user: u8) -> Result<(), E> { let x = ; user. } },
    );
    assert_eq!(count, 0, "{expanded}");
    assert!(expanded.contains("let x = ; user ."), "{expanded}");
}

#[test]
fn what_is_no_function_is_given_back_with_one_sentence() {
    let (count, expanded) = errors(quote! { key = "user", rate = "1/s" }, quote! { impl A { fn f() {} } });
    assert_eq!(count, 1);
    assert!(expanded.contains("not a `impl`"), "{expanded}");
    let unreadable = quote! { async fn f(x) -> };
    let (count, expanded) = errors(quote! {}, unreadable);
    assert_eq!(count, 0, "{expanded}");
}

#[test]
fn layers_below_are_collected() {
    let (count, expanded) = errors(
        quote! { key = "user", rate = "1/s" },
        quote! { #[rate_limit(key = "global", rate = "5/s")] async fn f(user: u8) -> R { } },
    );
    assert_eq!(count, 0);
    assert!(expanded.contains("Facts ; 2usize"), "{expanded}");
    assert!(!expanded.contains("# [rate_limit"), "{expanded}");
}

#[test]
fn layers_that_would_share_a_stored_key_are_refused() {
    let pair = |other: proc_macro2::TokenStream| {
        let item = quote! { #[rate_limit(#other)] async fn f(user: u8) -> R { } };
        errors(quote! { key = "user", rate = "10/s", burst = 10 }, item).0
    };
    assert_eq!(pair(quote! { key = "user", rate = "1000/h", burst = 1000 }), 1);
    assert_eq!(pair(quote! { key = "user", rate = "1000/h", burst = 1000, name = "hourly" }), 0);
    assert_eq!(pair(quote! { key = "user", rate = "1000/h" }), 0);
    assert_eq!(pair(quote! { key = "global", rate = "1000/h", burst = 1000 }), 0);
}
