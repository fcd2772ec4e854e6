//! The annotated functions: what a call of the model may cost, before it is made and when it is over.

use futures::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use ratelimit::{Denied, Limit, Unit, Usd, rate_limit};
use serde_json::{Value, json};
use std::fmt;

/// What a million tokens cost.
const INPUT: Usd = Usd::from_cents(250);
const OUTPUT: Usd = Usd::from_dollars(10);

#[derive(Clone)]
pub struct Tenant {
    pub id: String,
    pub plan: &'static str,
}

/// A question, and the most that its answer may be long.
pub struct Question {
    pub prompt: String,
    pub max_tokens: u64,
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt: u64,
    pub completion: u64,
}

pub struct Answer {
    pub text: String,
    pub usage: Usage,
}

/// A piece of a streamed answer.
pub struct Chunk {
    pub text: String,
    /// What was used in all, which the endpoint says at the end.
    pub total: Option<Usage>,
}

#[derive(Debug)]
pub enum LlmError {
    Limited(Denied),
    /// The endpoint did not answer, or broke off.
    Broken(String),
}

pub fn tokens(text: &str) -> u64 {
    u64::try_from(tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()).unwrap_or(u64::MAX)
}

impl Question {
    /// What it costs at most, but for what the model may think in silence.
    pub fn estimate(&self) -> Usage {
        Usage { prompt: tokens(&self.prompt), completion: self.max_tokens }
    }
}

impl Usage {
    pub fn tokens(self) -> u64 {
        self.prompt + self.completion
    }

    pub fn price(self) -> Usd {
        INPUT.per_million(self.prompt) + OUTPUT.per_million(self.completion)
    }

    /// In the unit of a limit.
    pub fn in_unit_of(self, limit: &Limit) -> u64 {
        match &limit.rule().rate().unit {
            Unit::MicroUsd => self.price().micros(),
            Unit::Named(_) => self.tokens(),
            Unit::Requests => 1,
        }
    }

    fn read(usage: &Value) -> Option<Usage> {
        let number = |name: &str| usage.get(name)?.as_u64();
        Some(Usage { prompt: number("prompt_tokens")?, completion: number("completion_tokens")? })
    }
}

/// Any endpoint that speaks OpenAI's chat completions.
#[derive(Clone)]
pub struct Model {
    pub client: reqwest::Client,
    pub base_url: String,
}

impl Model {
    /// Decided together: a call passes only if all four let it, and takes from all or from none.
    #[rate_limit(name = "llm.requests", key = "tenant.id", rate = "120/min")]
    #[rate_limit(
        name = "llm.tokens", key = "tenant.id", plan = tenant.plan,
        rate = plan(free = "20k tokens/min", pro = "200k tokens/min", otherwise = "5k tokens/min"),
        cost = question.estimate().tokens(), settle = |answer| answer.usage.tokens(),
    )]
    #[rate_limit(
        name = "llm.dollars", key = "tenant.id", rate = "$0.05/day",
        cost = question.estimate().price(), settle = |answer| answer.usage.price(),
    )]
    #[rate_limit(name = "llm.calls", key = "global", algo = "concurrency", limit = 32)]
    pub async fn complete(&self, tenant: &Tenant, question: &Question) -> Result<Answer, LlmError> {
        let answer: Value = self.ask(tenant, question, false).await?.json().await?;
        let text = answer.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default();
        // An endpoint that does not say what it bills is believed to bill the estimate.
        let usage = answer.get("usage").and_then(Usage::read).unwrap_or_else(|| question.estimate());
        Ok(Answer { text: text.to_owned(), usage })
    }

    /// The same budgets by the same names. The answer is not over when this function returns, so its stream takes the
    /// permit along.
    #[rate_limit(name = "llm.requests", key = "tenant.id", rate = "120/min")]
    #[rate_limit(
        name = "llm.tokens", key = "tenant.id", plan = tenant.plan,
        rate = plan(free = "20k tokens/min", pro = "200k tokens/min", otherwise = "5k tokens/min"),
        cost = question.estimate().tokens(),
    )]
    #[rate_limit(name = "llm.dollars", key = "tenant.id", rate = "$0.05/day", cost = question.estimate().price())]
    #[rate_limit(name = "llm.calls", key = "global", algo = "concurrency", limit = 32)]
    pub async fn stream(&self, tenant: &Tenant, question: &Question) -> Result<Chunks, LlmError> {
        let permit = ratelimit::current_permit().detach();
        let response = match self.ask(tenant, question, true).await {
            Ok(response) => response,
            Err(error) => {
                // Nothing was billed; it was a request all the same.
                if let Some(permit) = permit {
                    permit.settle_each(|layer| Usage::default().in_unit_of(layer.limit())).await;
                }
                return Err(error);
            }
        };
        let chunks = chunks(response);
        let Some(permit) = permit else {
            // Decided without a store: there is nothing to settle.
            return Ok(chunks);
        };
        let mut usage = Usage { completion: 0, ..question.estimate() };
        let metered = permit.meter(chunks, move |chunk: &Chunk, meter| {
            match chunk.total {
                Some(total) => usage = total,
                // A chunk is a token, until the endpoint says what it was.
                None => usage.completion += 1,
            }
            meter.each(|layer, _| usage.in_unit_of(layer.limit()));
        });
        Ok(metered.boxed())
    }

    async fn ask(
        &self,
        tenant: &Tenant,
        question: &Question,
        streams: bool,
    ) -> Result<reqwest::Response, LlmError> {
        let body = json!({
            "model": "gpt-4o",
            "user": tenant.id,
            "max_tokens": question.max_tokens,
            "messages": [{ "role": "user", "content": question.prompt }],
            "stream": streams,
            "stream_options": if streams { json!({ "include_usage": true }) } else { Value::Null },
        });
        let url = format!("{}/v1/chat/completions", self.base_url);
        Ok(self.client.post(url).json(&body).send().await?.error_for_status()?)
    }
}

pub type Chunks = BoxStream<'static, Result<Chunk, LlmError>>;

/// The events of a streamed answer, as they come.
fn chunks(response: reqwest::Response) -> Chunks {
    let lines = stream::unfold((response.bytes_stream().boxed(), String::new()), next_event);
    lines.boxed()
}

type Bytes = BoxStream<'static, reqwest::Result<axum::body::Bytes>>;

async fn next_event(
    (mut bytes, mut buffer): (Bytes, String),
) -> Option<(Result<Chunk, LlmError>, (Bytes, String))> {
    loop {
        while let Some((event, rest)) = buffer.split_once("\n\n") {
            let (data, rest) = (event.trim_start_matches("data: ").to_owned(), rest.to_owned());
            buffer = rest;
            if data == "[DONE]" {
                return None;
            }
            if let Ok(event) = serde_json::from_str::<Value>(&data) {
                let text =
                    event.pointer("/choices/0/delta/content").and_then(Value::as_str).unwrap_or_default();
                let total = event.get("usage").and_then(Usage::read);
                return Some((Ok(Chunk { text: text.to_owned(), total }), (bytes, buffer)));
            }
        }
        match bytes.next().await {
            Some(Ok(more)) => buffer.push_str(&String::from_utf8_lossy(&more)),
            Some(Err(error)) => return Some((Err(error.into()), (bytes, buffer))),
            None => {
                return Some((Err(LlmError::Broken("the stream has no end".to_owned())), (bytes, buffer)));
            }
        }
    }
}

/// What goes out to a client of ours: the text alone.
pub fn texts(chunks: Chunks) -> impl Stream<Item = Result<String, LlmError>> {
    chunks.map(|chunk| chunk.map(|chunk| chunk.text))
}

impl From<Denied> for LlmError {
    fn from(denied: Denied) -> LlmError {
        LlmError::Limited(denied)
    }
}

impl From<reqwest::Error> for LlmError {
    fn from(error: reqwest::Error) -> LlmError {
        LlmError::Broken(error.to_string())
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LlmError::Limited(denied) => denied.fmt(f),
            LlmError::Broken(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LlmError {}
