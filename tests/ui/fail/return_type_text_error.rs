use ratelimit::rate_limit;

#[derive(Debug)]
enum AppError {
    NotFound,
}

#[rate_limit(key = "user", rate = "100/min")]
async fn find(user: u64) -> Result<u64, AppError> {
    if user == 0 { Err(AppError::NotFound) } else { Ok(user) }
}

fn main() {}
