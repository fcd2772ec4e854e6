// #[rate_limit(
//     key = "tenant",
//     rate = plan(free = "100/min", enterprise = unlimited, otherwise = "60/min")
// )]
// #[rate_limit(key = "id", rate = "5/s", when = id>0)]
// pub async fn show(Path(id): Path<u64>) -> impl IntoResponse {
//     load(id).await
// }

use ::ratelimit::__private as rt;

pub async fn show<__RateLimitSite: rt::Marker>(
    __ratelimit_guard: rt::Guard<__RateLimitSite>,
    Path(id): Path<u64>,
) -> rt::Limited<impl IntoResponse>
where
    rt::Id<
        {
            rt::id(
                rt::concat!(rt::module_path!(), "::", "show"),
                &[rt::line!(), rt::column!(), 7u32, 5u32, 0u32],
            )
        },
    >: rt::SiteOf<__RateLimitSite>,
{
    {
        fn here() {}
        static PLANS_0: [rt::PlanRule; 2usize] = [
            rt::PlanRule::limited(
                "free",
                rt::Rule::__checked(
                    rt::Algorithm::SlidingWindow,
                    rt::Rate {
                        count: 100,
                        unit: rt::Unit::Requests,
                        period: rt::Period::from_micros(60000000),
                    },
                    100,
                    rt::None,
                ),
            ),
            rt::PlanRule::unlimited("enterprise"),
        ];
        static FACTS: [rt::Facts; 2usize] = [
            rt::Facts::with_plans(
                rt::Name::Function(|| rt::type_name_of_val(&here)),
                rt::Key::Word(rt::Word {
                    text: rt::Cow::Borrowed("tenant"),
                    source: rt::Source::Request(rt::Request::Tenant),
                }),
                rt::Rule::__checked(
                    rt::Algorithm::SlidingWindow,
                    rt::Rate {
                        count: 60,
                        unit: rt::Unit::Requests,
                        period: rt::Period::from_micros(60000000),
                    },
                    60,
                    rt::None,
                ),
                &PLANS_0,
            ),
            rt::Facts::new(
                rt::Name::Function(|| rt::type_name_of_val(&here)),
                rt::Key::Word(rt::Word {
                    text: rt::Cow::Borrowed("id"),
                    source: rt::Source::Parameter {
                        slot: 0usize,
                    },
                }),
                rt::Rule::__checked(
                    rt::Algorithm::SlidingWindow,
                    rt::Rate {
                        count: 5,
                        unit: rt::Unit::Requests,
                        period: rt::Period::from_micros(1000000),
                    },
                    5,
                    rt::None,
                ),
            ),
        ];
        static SITE: rt::Site = rt::Site::new(
                &FACTS,
                rt::concat!(rt::module_path!(), "::", "show"),
                rt::file!(),
                rt::line!(),
            )
            .late();
        rt::submit! {
            rt::Declared(& SITE)
        }
        #[doc(hidden)]
        pub struct Here;
        impl rt::SiteOf<Here>
        for rt::Id<
            {
                rt::id(
                    rt::concat!(rt::module_path!(), "::", "show"),
                    &[rt::line!(), rt::column!(), 7u32, 5u32, 0u32],
                )
            },
        > {}
        impl rt::Marker for Here {
            const SITE: &'static rt::Site = &SITE;
        }
    }
    let mut __ratelimit_call = rt::Guard::call(__ratelimit_guard);
    let __ratelimit_applies = rt::condition(id > 0);
    if __ratelimit_applies {
        {
            use rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
            (&&&rt::Part(&id))
                .__ratelimit_part(rt::Call::part(&mut __ratelimit_call, 1usize, 0usize));
        }
    } else {
        rt::Call::leave(&mut __ratelimit_call, 1usize);
    }
    let __ratelimit_future = async move {
        if let rt::Some(__ratelimit_return) = rt::Option::<_>::None {
            return __ratelimit_return;
        }
        match () {
            () => load(id).await,
        }
    };
    let __ratelimit_outcome = rt::Call::admit(__ratelimit_call).await;
    match __ratelimit_outcome {
        rt::Ok(__ratelimit_permit) => {
            let __ratelimit_output = __ratelimit_future.await;
            {
                use rt::fit::*;
                (&&&Reply(&__ratelimit_output)).__ratelimit_reply();
            }
            rt::Limited::allowed(__ratelimit_output, __ratelimit_permit)
        }
        rt::Err(__ratelimit_denied) => rt::Limited::denied(__ratelimit_denied),
    }
}
