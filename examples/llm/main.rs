//! Run with: `cargo run --example llm`
//!
//! How do I cap what LLM calls cost? An axum service whose calls are limited by requests, tokens, dollars and calls in
//! flight, charged by estimate and settled by what they used: also where they are streamed, hung up on, or fail.
//!
//! Without `LLM_BASE_URL` it starts an endpoint of its own, runs a script of calls, and compares what each tenant was
//! charged with the endpoint's ledger. With it, `LLM_BASE_URL=http://127.0.0.1:11434 cargo run --example llm` serves.

mod complete;
mod endpoint;

use axum::{
    Router,
    body::Body,
    extract::{Json, Path, State},
    response::{IntoResponse, Response},
    routing::post,
};
use complete::{LlmError, Model, Question, Tenant, Usage, texts};
use endpoint::Ledger;
use futures::{StreamExt as _, future::join_all};
use ratelimit::{Limit, Limiter};
use serde_json::{Value, json};
use std::{error::Error, time::Duration};
use tokio::net::TcpListener;

/// The day's budget of a tenant, in micro-dollars, as the attribute has it.
const BUDGET: u64 = 50_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Ok(base_url) = std::env::var("LLM_BASE_URL") {
        let service = serve(service(base_url)).await?;
        println!(
            "curl -d '{{\"prompt\": \"Why is the sky blue?\"}}' -H 'content-type: application/json' {service}/acme"
        );
        std::future::pending::<()>().await;
    }
    let ledger = Ledger::default();
    let endpoint = serve(endpoint::router(ledger.clone())).await?;
    let service = serve(service(endpoint)).await?;
    println!("LLM_BASE_URL is not set: an endpoint of its own\n");
    script(&service, &ledger).await
}

/// Our service: `POST /TENANT` with a prompt.
fn service(base_url: String) -> Router {
    let model = Model { client: reqwest::Client::new(), base_url };
    Router::new().route("/{tenant}", post(answer)).with_state(model)
}

async fn answer(State(model): State<Model>, Path(id): Path<String>, Json(asked): Json<Value>) -> Response {
    // An application finds out who it is by its authentication.
    let tenant = Tenant { id, plan: "pro" };
    let prompt = asked["prompt"].as_str().unwrap_or_default().to_owned();
    let question = Question { prompt, max_tokens: 200 };
    let answer = if asked["stream"] == true {
        let chunks = model.stream(&tenant, &question).await;
        chunks.map(|chunks| Body::from_stream(texts(chunks)).into_response())
    } else {
        model.complete(&tenant, &question).await.map(|answer| answer.text.into_response())
    };
    answer.unwrap_or_else(|error| match error {
        LlmError::Limited(denied) => denied.into_response(),
        LlmError::Broken(why) => (axum::http::StatusCode::BAD_GATEWAY, why).into_response(),
    })
}

async fn serve(app: Router) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(url)
}

/// A client of the service.
struct Caller<'a> {
    client: reqwest::Client,
    service: &'a str,
    /// Budgets of a run are its own, also where several runs share a Redis.
    run: u32,
}

impl Caller<'_> {
    fn tenant(&self, name: &str) -> String {
        format!("{name}-{}", self.run)
    }

    async fn ask(&self, name: &str, prompt: &str, streams: bool) -> reqwest::Result<reqwest::Response> {
        let url = format!("{}/{}", self.service, self.tenant(name));
        self.client.post(url).json(&json!({ "prompt": prompt, "stream": streams })).send().await
    }

    /// Whether a call was let through; its answer is read to the end.
    async fn passes(&self, name: &str, prompt: &str, streams: bool) -> Result<bool, Box<dyn Error>> {
        let response = self.ask(name, prompt, streams).await?;
        let passes = response.status() != 429;
        let _ = response.bytes().await; // A stream may break off.
        Ok(passes)
    }
}

async fn script(service: &str, ledger: &Ledger) -> Result<(), Box<dyn Error>> {
    let caller = Caller { client: reqwest::Client::new(), service, run: std::process::id() };
    println!(
        "{:10} {:>6} {:>7} {:>9} {:>9} {:>12} {:>12}",
        "tenant", "passed", "denied", "tokens", "billed", "charged", "billed"
    );
    for (name, prompt, streams) in [
        ("below", "a short answer, please", false),
        ("above", "think hard, and long", false),
        ("streamed", "a story", true),
        ("shorter", "a short story", true),
        ("broken", "a story that will break off", true),
        ("failed", "fail at once", false),
        ("refused", "fail at once", true),
    ] {
        let mut passed = 0;
        for _ in 0..3 {
            passed += u32::from(caller.passes(name, prompt, streams).await?);
        }
        Line::of(&caller, ledger, name).await?.check(passed, 0)?;
    }

    for _ in 0..3 {
        let response = caller.ask("hung up", "a story that nobody reads", true).await?;
        let mut chunks = response.bytes_stream();
        chunks.next().await.ok_or("a first chunk")??;
    }
    // That nobody listens any more is noticed when the next token is written.
    tokio::time::sleep(Duration::from_millis(300)).await;
    Line::of(&caller, ledger, "hung up").await?.check(3, 0)?;

    // Fifty at once: no two spend the same dollar.
    let calls = join_all((0..50).map(|_| caller.passes("fifty", "a short answer, please", false))).await;
    let mut passed = 0;
    for call in calls {
        passed += u32::from(call?);
    }
    let at_once = Line::of(&caller, ledger, "fifty").await?;
    at_once.check(passed, 50 - passed)?;
    if passed == 0 || passed == 50 {
        return Err("the budget was not what decided".into());
    }
    println!(
        "\nevery charge is what the endpoint has billed, and no tenant spent more than its day's ${}",
        BUDGET as f64 / 1e6
    );
    Ok(())
}

/// What a tenant was charged, and what it was billed.
struct Line<'n> {
    name: &'n str,
    tokens: u64,
    dollars: u64,
    bills: Vec<Usage>,
}

impl Line<'_> {
    async fn of<'n>(caller: &Caller<'_>, ledger: &Ledger, name: &'n str) -> Result<Line<'n>, Box<dyn Error>> {
        let tenant = caller.tenant(name);
        let (tokens, dollars) =
            (charged("llm.tokens", &tenant).await?, charged("llm.dollars", &tenant).await?);
        Ok(Line { name, tokens, dollars, bills: ledger.of(&tenant) })
    }

    fn check(&self, passed: u32, denied: u32) -> Result<(), Box<dyn Error>> {
        let tokens: u64 = self.bills.iter().map(|usage| usage.tokens()).sum();
        let dollars: u64 = self.bills.iter().map(|usage| usage.price().micros()).sum();
        let Line { name, tokens: charged_tokens, dollars: charged, .. } = self;
        println!(
            "{name:10} {passed:>6} {denied:>7} {charged_tokens:>9} {tokens:>9} {charged:>12} {dollars:>12}"
        );
        if (tokens, dollars) != (*charged_tokens, *charged) || dollars > BUDGET {
            return Err(format!("`{name}` was charged {charged} micro-dollars, and billed {dollars}").into());
        }
        Ok(())
    }
}

/// Units that a tenant has used of one of the limits in this binary.
async fn charged(name: &str, tenant: &str) -> Result<u64, Box<dyn Error>> {
    let limit: Limit = ratelimit::sites()
        .flat_map(|site| site.limits())
        .find(|limit| limit.name() == name)
        .ok_or("no such limit")?;
    let look = Limiter::current().check(&limit).plan("pro").part("tenant.id", tenant).cost(0).await?;
    let numbers = look.decision().layers().first().and_then(|layer| layer.numbers()).ok_or("no numbers")?;
    Ok(numbers.limit - numbers.remaining)
}
