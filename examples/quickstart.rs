//! Run with: cargo run --example quickstart
//!
//! Starts an axum server on loopback, sends it requests of several users over HTTP, and prints how the limit bites.
//! In memory, or in Redis with `RATELIMIT_REDIS_URL=redis://127.0.0.1`: the table is the same.

use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get,
};
use ratelimit::{User, rate_limit};
use std::{error::Error, net::SocketAddr, process};

/// Three at once, then one every ten minutes: slow enough that nothing refills while this runs.
#[rate_limit(name = "search", key = "user", algo = "token_bucket", rate = "6/h", burst = 3)]
async fn search() -> impl IntoResponse {
    "found"
}

/// Stands for your authentication: it knows whose a token is. What a client claims to be in a header would be no
/// identity: whoever wants more would claim to be somebody else.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get("authorization").and_then(|token| token.to_str().ok());
    let user = token.and_then(|token| token.strip_prefix("Bearer token-of-")).map(str::to_owned);
    match user {
        Some(user) => {
            // A name of this run's own, so that a second run finds full buckets in Redis.
            request.extensions_mut().insert(User::new(format!("{user}-{}", process::id())));
            next.run(request).await
        }
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}

fn app() -> Router {
    Router::new().route("/search", get(search)).layer(from_fn(authenticate))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/search", listener.local_addr()?);
    tokio::spawn(async move {
        axum::serve(listener, app().into_make_service_with_connect_info::<SocketAddr>()).await
    });

    let client = reqwest::Client::new();
    println!("{:<6} {:<7} {:<22} {:<20} retry-after", "user", "status", "ratelimit-policy", "ratelimit");
    for user in ["ann", "ann", "bob", "ann", "ann", "bob", "ann"] {
        let response = client.get(&url).bearer_auth(format!("token-of-{user}")).send().await?;
        let field =
            |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("-");
        println!(
            "{user:<6} {:<7} {:<22} {:<20} {}",
            response.status().as_u16(),
            field("ratelimit-policy"),
            field("ratelimit"),
            field("retry-after"),
        );
    }

    // What the table should have shown: ann's bucket is empty, bob's is not.
    let status = async |user: &str| -> Result<u16, reqwest::Error> {
        Ok(client.get(&url).bearer_auth(format!("token-of-{user}")).send().await?.status().as_u16())
    };
    if (status("ann").await?, status("bob").await?) != (429, 200) {
        return Err("the limit did not bite as it should".into());
    }
    Ok(())
}
