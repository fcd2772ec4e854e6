use ratelimit::rate_limit;

#[rate_limit(key = "user", rate = "100/min")]
unsafe extern "C" fn limited(user: u64) -> u64 {
    user
}

fn main() {}
