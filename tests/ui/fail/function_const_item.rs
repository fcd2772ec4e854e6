use ratelimit::rate_limit;

#[rate_limit(key = "global", rate = "100/min")]
const LIMIT: u64 = 100;

fn main() {
    drop(LIMIT);
}
