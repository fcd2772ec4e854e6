use ratelimit::{Denied, rate_limit};

struct Account {
    id: u64,
    tenant: u64,
}

#[rate_limit(key = "tenant_id", rate = "100/min")]
async fn limited(Account { id, tenant: tenant_nr }: Account) -> Result<(), Denied> {
    Ok(drop((id, tenant_nr)))
}

fn main() {}
