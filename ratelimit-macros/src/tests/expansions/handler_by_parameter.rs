// #[rate_limit(key = "id", rate = "100/min")]
// pub async fn show(Path(id): Path<u64>) -> Result<Json<Item>, StatusCode> {
//     Ok(Json(load(id).await?))
// }

use ::ratelimit::__private as rt;

pub async fn show<__RateLimitSite: rt::Marker>(
    __ratelimit_guard: rt::Guard<__RateLimitSite>,
    Path(id): Path<u64>,
) -> rt::Limited<Result<Json<Item>, StatusCode>>
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
        static FACTS: [rt::Facts; 1usize] = [
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
                        count: 100,
                        unit: rt::Unit::Requests,
                        period: rt::Period::from_micros(60000000),
                    },
                    100,
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
    {
        use rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
        (&&&rt::Part(&id))
            .__ratelimit_part(rt::Call::part(&mut __ratelimit_call, 0usize, 0usize));
    }
    let __ratelimit_future = async move {
        if let rt::Some(__ratelimit_return) = rt::Option::<
            Result<Json<Item>, StatusCode>,
        >::None {
            return __ratelimit_return;
        }
        match () {
            () => Ok(Json(load(id).await?)),
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
