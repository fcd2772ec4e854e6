use ratelimit::rate_limit;

#[rate_limit(key = "header:größe", rate = "100/min", handler)]
async fn search() -> &'static str {
    "found"
}

fn main() {}
