// #[rate_limit(key = "user | ip", rate = "100/min", burst = 20)]
// /// Searches.
// pub async fn search(Query(query): Query<Search>) -> impl IntoResponse {
//     find(query).await
// }

use ::ratelimit::__private as rt;

/// Searches.
pub async fn search<__RateLimitSite: rt::Marker>(
    __ratelimit_guard: rt::Guard<__RateLimitSite>,
    Query(query): Query<Search>,
) -> rt::Limited<impl IntoResponse>
where
    rt::Id<
        {
            rt::id(
                rt::concat!(rt::module_path!(), "::", "search"),
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
                rt::Key::First(
                    rt::Cow::Borrowed(
                        &[
                            rt::Key::Word(rt::Word {
                                text: rt::Cow::Borrowed("user"),
                                source: rt::Source::Request(rt::Request::User),
                            }),
                            rt::Key::Word(rt::Word {
                                text: rt::Cow::Borrowed("ip"),
                                source: rt::Source::Request(rt::Request::Ip),
                            }),
                        ],
                    ),
                ),
                rt::Rule::__checked(
                    rt::Algorithm::TokenBucket,
                    rt::Rate {
                        count: 100,
                        unit: rt::Unit::Requests,
                        period: rt::Period::from_micros(60000000),
                    },
                    20,
                    rt::None,
                ),
            ),
        ];
        static SITE: rt::Site = rt::Site::new(
            &FACTS,
            rt::concat!(rt::module_path!(), "::", "search"),
            rt::file!(),
            rt::line!(),
        );
        rt::submit! {
            rt::Declared(& SITE)
        }
        #[doc(hidden)]
        pub struct Here;
        impl rt::SiteOf<Here>
        for rt::Id<
            {
                rt::id(
                    rt::concat!(rt::module_path!(), "::", "search"),
                    &[rt::line!(), rt::column!(), 7u32, 5u32, 0u32],
                )
            },
        > {}
        impl rt::Marker for Here {
            const SITE: &'static rt::Site = &SITE;
        }
    }
    let __ratelimit_future = async move {
        if let rt::Some(__ratelimit_return) = rt::Option::<_>::None {
            return __ratelimit_return;
        }
        match () {
            () => find(query).await,
        }
    };
    let __ratelimit_output = __ratelimit_future.await;
    {
        use rt::fit::*;
        (&&&Reply(&__ratelimit_output)).__ratelimit_reply();
    }
    rt::Limited::allowed(__ratelimit_output, rt::Guard::permit(__ratelimit_guard))
}
