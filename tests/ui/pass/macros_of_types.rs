//! Types that a macro makes, each with a handler of one name and from one place.
#![deny(warnings)]

use axum::{Router, routing::get};
use ratelimit::rate_limit;

macro_rules! handlers_of_one_name {
    ($($ty:ident)*) => {$(
        struct $ty;
        impl $ty {
            #[rate_limit(key = "ip", rate = "1/min")]
            async fn list() -> &'static str {
                stringify!($ty)
            }
        }
    )*};
}
handlers_of_one_name!(Users Groups Orders);

fn main() {
    let _: Router = Router::new().route("/list", get(Users::list).post(Groups::list).put(Orders::list));
}
