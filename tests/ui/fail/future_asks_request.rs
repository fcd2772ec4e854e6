use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "ip", rate = "1/s")]
fn search() -> impl Future<Output = Result<(), Denied>> {
    async { Ok(()) }
}

fn main() {}
