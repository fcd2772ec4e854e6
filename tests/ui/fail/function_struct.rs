use ratelimit::rate_limit;

#[rate_limit(key = "user", rate = "100/min")]
struct Service {
    user: u64,
}

fn main() {
    drop(Service { user: 1 }.user);
}
