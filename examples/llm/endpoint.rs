//! A small endpoint that speaks OpenAI's chat completions and bills like one: its ledger is the truth that the limiter's
//! charges are held against. What it does is asked for by words in the prompt.

use crate::complete::{Usage, tokens};
use axum::{
    Json, Router,
    body::Body,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// What each tenant was billed.
#[derive(Clone, Default)]
pub struct Ledger(Arc<Mutex<HashMap<String, Vec<Usage>>>>);

impl Ledger {
    fn bill(&self, tenant: &str, usage: Usage) {
        let mut bills = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bills.entry(tenant.to_owned()).or_default().push(usage);
    }

    pub fn of(&self, tenant: &str) -> Vec<Usage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tenant).cloned().unwrap_or_default()
    }
}

pub fn router(ledger: Ledger) -> Router {
    Router::new().route("/v1/chat/completions", post(completions)).with_state(ledger)
}

async fn completions(State(ledger): State<Ledger>, Json(request): Json<Value>) -> Response {
    let text =
        |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (tenant, prompt) = (text("/user"), text("/messages/0/content"));
    if prompt.contains("fail") {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let max_tokens = request["max_tokens"].as_u64().unwrap_or(0);
    let completion = match prompt.as_str() {
        // What a model thinks in silence is billed, and no `max_tokens` bounds it.
        prompt if prompt.contains("think") => max_tokens + 150,
        prompt if prompt.contains("short") => max_tokens / 10,
        _ => max_tokens,
    };
    let usage = Usage { prompt: tokens(&prompt), completion };
    if request["stream"] == true {
        return streamed(ledger, tenant, &prompt, usage);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    ledger.bill(&tenant, usage);
    Json(json!({
        "choices": [{ "message": { "role": "assistant", "content": "token ".repeat(3) } }],
        "usage": { "prompt_tokens": usage.prompt, "completion_tokens": usage.completion },
    }))
    .into_response()
}

/// One token an event, and the usage at the end.
fn streamed(ledger: Ledger, tenant: String, prompt: &str, usage: Usage) -> Response {
    let breaks_after = prompt.contains("break").then_some(7);
    let bill = Bill { ledger, tenant, usage, is_written: false };
    let events = stream::unfold((bill, 0), move |(mut bill, sent)| async move {
        tokio::time::sleep(Duration::from_millis(2)).await;
        let event = if Some(sent) == breaks_after {
            bill.usage.completion = sent;
            bill.write();
            return Some((Err(io::Error::from(io::ErrorKind::ConnectionReset)), (bill, sent + 1)));
        } else if bill.is_written {
            return None;
        } else if sent < bill.usage.completion {
            format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": "token " } }] }))
        } else {
            bill.write();
            let Usage { prompt, completion } = bill.usage;
            let usage = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
            format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }))
        };
        Some((Ok(event), (bill, sent + 1)))
    });
    ([("content-type", "text/event-stream")], Body::from_stream(events.boxed())).into_response()
}

/// A generation is paid for in full, also by one who hangs up on it: that is how models are billed.
struct Bill {
    ledger: Ledger,
    tenant: String,
    usage: Usage,
    is_written: bool,
}

impl Bill {
    fn write(&mut self) {
        if !std::mem::replace(&mut self.is_written, true) {
            self.ledger.bill(&self.tenant, self.usage);
        }
    }
}

impl Drop for Bill {
    fn drop(&mut self) {
        self.write();
    }
}
