// #[rate_limit(
//     key = "tenant",
//     rate = "$20/day",
//     cost = quote(prompt),
//     settle = |out|out.usage.price(),
//     name = "spend"
// )]
// async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
//     client().complete(prompt).await
// }

use ::ratelimit::__private as rt;

async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
    let mut __ratelimit_call = {
        static FACTS: [rt::Facts; 1usize] = [
            rt::Facts::new(
                    rt::Name::Given("spend"),
                    rt::Key::Word(rt::Word {
                        text: rt::Cow::Borrowed("tenant"),
                        source: rt::Source::Parameter {
                            slot: 0usize,
                        },
                    }),
                    rt::Rule::__checked(
                        rt::Algorithm::SlidingWindow,
                        rt::Rate {
                            count: 20000000,
                            unit: rt::Unit::MicroUsd,
                            period: rt::Period::from_micros(86400000000),
                        },
                        20000000,
                        rt::None,
                    ),
                )
                .holds(30000000),
        ];
        static SITE: rt::Site = rt::Site::new(
            &FACTS,
            rt::concat!(rt::module_path!(), "::", "complete"),
            rt::file!(),
            rt::line!(),
        );
        rt::submit! {
            rt::Declared(& SITE)
        }
        rt::Call::new(&SITE)
    };
    {
        use rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
        (&&&rt::Part(&tenant))
            .__ratelimit_part(rt::Call::part(&mut __ratelimit_call, 0usize, 0usize));
    }
    let __ratelimit_units = rt::usd(quote(prompt));
    rt::Call::cost(&mut __ratelimit_call, 0usize, __ratelimit_units);
    let __ratelimit_future = async move {
        if let rt::Some(__ratelimit_return) = rt::Option::<
            Result<Completion, LlmError>,
        >::None {
            return __ratelimit_return;
        }
        match () {
            () => client().complete(prompt).await,
        }
    };
    let __ratelimit_outcome = rt::Call::admit(__ratelimit_call).await;
    match __ratelimit_outcome {
        rt::Ok(__ratelimit_permit) => {
            let __ratelimit_holding = rt::Holding::new(__ratelimit_permit);
            let __ratelimit_output = rt::Holding::run(
                    &__ratelimit_holding,
                    __ratelimit_future,
                )
                .await;
            let mut __ratelimit_settling = rt::Holding::end(__ratelimit_holding);
            {
                use rt::{ViaResult as _, ViaValue as _};
                let __ratelimit_given = match (&&rt::Output(&__ratelimit_output))
                    .__ratelimit_ok(|out| out.usage.price())
                {
                    rt::Some(__ratelimit_given) => rt::actual_usd(__ratelimit_given),
                    rt::None => rt::Actual::Units(0),
                };
                rt::Settling::layer(
                    &mut __ratelimit_settling,
                    0usize,
                    __ratelimit_given,
                );
            }
            rt::Settling::done(__ratelimit_settling).await;
            __ratelimit_output
        }
        rt::Err(__ratelimit_denied) => {
            return rt::FromDenied::from_denied(__ratelimit_denied);
        }
    }
}
