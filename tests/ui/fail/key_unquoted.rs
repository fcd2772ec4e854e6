use ratelimit::rate_limit;

#[rate_limit(key = ip, rate = "100/min", handler)]
async fn search() -> String {
    String::new()
}

fn main() {}
