use ratelimit::rate_limit;

struct Found(u64);

#[rate_limit(key = "ip", rate = "100/min")]
async fn find() -> Found {
    Found(1)
}

fn main() {
    drop(Found(1).0);
}
