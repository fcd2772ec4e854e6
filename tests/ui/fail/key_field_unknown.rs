use ratelimit::{Denied, rate_limit};

struct Account {
    id: u64,
}

#[rate_limit(key = "account.name", rate = "100/min")]
async fn limited(account: Account) -> Result<(), Denied> {
    Ok(drop(account.id))
}

fn main() {}
