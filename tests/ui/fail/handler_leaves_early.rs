use ratelimit::{Denied, rate_limit};

#[rate_limit(key = user.ok_or(Denied)?, rate = "1/s", handler)]
async fn search(user: Option<u64>) -> String {
    format!("{user:?}")
}

fn main() {}
