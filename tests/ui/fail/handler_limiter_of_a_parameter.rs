use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "ip", rate = "1/s", limiter = state.limiter)]
async fn search(state: axum::extract::State<Shop>) -> String {
    state.name.clone()
}

#[derive(Clone)]
struct Shop {
    name: String,
    limiter: ratelimit::Limiter,
}

type Unused = Denied;

fn main() {}
