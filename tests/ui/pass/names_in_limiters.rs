//! Items of the user's that the limiter's expression means, called like those of generated code.
#![deny(warnings)]
#![allow(dead_code)]

/// Statics of the user's that the limiter's expression means.
mod limiter_expression {
    static SITE: ::std::sync::LazyLock<::ratelimit::Limiter> =
        ::std::sync::LazyLock::new(::ratelimit::Limiter::in_memory);
    static FACTS: ::std::sync::LazyLock<::ratelimit::Limiter> =
        ::std::sync::LazyLock::new(::ratelimit::Limiter::in_memory);
    fn here() -> ::ratelimit::Limiter {
        ::ratelimit::Limiter::in_memory()
    }

    #[::ratelimit::rate_limit(key = "global", rate = "1/min", limiter = *SITE)]
    async fn site() -> Result<(), ::ratelimit::Denied> {
        Ok(())
    }

    #[::ratelimit::rate_limit(key = "ip", rate = "1/min", limiter = *FACTS)]
    async fn facts() {}

    #[::ratelimit::rate_limit(key = "ip", rate = "1/min", limiter = here())]
    async fn function() {}
}

fn main() {}
