//! What a function becomes, one stored expansion for each shape of function.
//!
//! They are documents: who wants to know what the attribute does reads them. `UPDATE=1 cargo test -p ratelimit-macros`
//! writes them anew.

use crate::{expand, place::Place};
use proc_macro2::TokenStream;
use quote::quote;
use std::{env, fs, path::Path};

/// Above each of them.
const HEAD: &str = "use ::ratelimit::__private as rt;\n";

/// Compares an expansion with the one that is stored under a name.
fn is_stored(name: &str, arguments: TokenStream, item: TokenStream) {
    let written = prettyplease::unparse(&syn::parse_quote! { #[rate_limit(#arguments)] #item });
    let written: String = written.lines().map(|line| format!("// {line}\n")).collect();
    let tokens = expand(arguments, item, Place([7, 5, 0]));
    let file = syn::parse2(tokens).unwrap_or_else(|error| panic!("{name} is no Rust: {error}"));
    let expanded = prettyplease::unparse(&file).replace("::ratelimit::__private::", "rt::");
    // Printed anew, since shorter paths fit on fewer lines.
    let expanded = match syn::parse_file(&expanded) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("{name} is no Rust: {error}"),
    };
    let expanded = format!("{written}\n{HEAD}\n{expanded}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/tests/expansions/{name}.rs"));
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &expanded).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == expanded,
        "{name} is not stored as it is: run this with UPDATE=1 and read the difference\n{expanded}"
    );
}

#[test]
fn function_is_decided_before_its_body() {
    is_stored(
        "function",
        quote! { key = "tenant", rate = "100k tokens/min", cost = estimate(prompt), name = "tokens" },
        quote! {
            async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
                client().complete(prompt).await
            }
        },
    );
}

#[test]
fn function_that_settles_runs_under_its_permit() {
    is_stored(
        "function_settles",
        quote! { key = "tenant", rate = "$20/day", cost = quote(prompt), settle = |out| out.usage.price(), name = "spend" },
        quote! {
            async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
                client().complete(prompt).await
            }
        },
    );
}

#[test]
fn handler_keyed_by_the_request_is_decided_before_its_body_is_read() {
    is_stored(
        "handler_by_request",
        quote! { key = "user | ip", rate = "100/min", burst = 20 },
        quote! {
            /// Searches.
            pub async fn search(Query(query): Query<Search>) -> impl IntoResponse {
                find(query).await
            }
        },
    );
}

#[test]
fn handler_keyed_by_a_parameter_is_decided_with_its_parameters() {
    is_stored(
        "handler_by_parameter",
        quote! { key = "id", rate = "100/min" },
        quote! {
            pub async fn show(Path(id): Path<u64>) -> Result<Json<Item>, StatusCode> {
                Ok(Json(load(id).await?))
            }
        },
    );
}

#[test]
fn handler_with_both_is_decided_at_once() {
    is_stored(
        "handler_mixed",
        quote! { key = "tenant", rate = plan(free = "100/min", enterprise = unlimited, otherwise = "60/min") },
        quote! {
            #[rate_limit(key = "id", rate = "5/s", when = id > 0)]
            pub async fn show(Path(id): Path<u64>) -> impl IntoResponse {
                load(id).await
            }
        },
    );
}

#[test]
fn method_names_fields_of_itself() {
    is_stored(
        "method",
        quote! { key = "self.host", algo = "concurrency", limit = 32, limiter = self.limiter },
        quote! {
            pub async fn fetch(&mut self, path: &str) -> Result<Response, Error> {
                self.connection.get(path).await
            }
        },
    );
}

#[test]
fn method_that_async_trait_has_boxed_stays_in_one_box() {
    is_stored(
        "trait_impl",
        quote! { key = "address", rate = "5/h", algo = "sliding_log", fail = "closed" },
        quote! {
            fn send<'a, 'async_trait>(
                &'a self,
                address: &'a str,
            ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'async_trait>>
            where
                'a: 'async_trait,
                Self: 'async_trait,
            {
                Box::pin(async move { self.post(address).await })
            }
        },
    );
}
