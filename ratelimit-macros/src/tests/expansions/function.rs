// #[rate_limit(
//     key = "tenant",
//     rate = "100k tokens/min",
//     cost = estimate(prompt),
//     name = "tokens"
// )]
// async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
//     client().complete(prompt).await
// }

use ::ratelimit::__private as rt;

async fn complete(tenant: &TenantId, prompt: &Prompt) -> Result<Completion, LlmError> {
    let mut __ratelimit_call = {
        static FACTS: [rt::Facts; 1usize] = [
            rt::Facts::new(
                rt::Name::Given("tokens"),
                rt::Key::Word(rt::Word {
                    text: rt::Cow::Borrowed("tenant"),
                    source: rt::Source::Parameter {
                        slot: 0usize,
                    },
                }),
                rt::Rule::__checked(
                    rt::Algorithm::SlidingWindow,
                    rt::Rate {
                        count: 100000,
                        unit: rt::Unit::Named(rt::Cow::Borrowed("tokens")),
                        period: rt::Period::from_micros(60000000),
                    },
                    100000,
                    rt::None,
                ),
            ),
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
    let __ratelimit_units = rt::cost(estimate(prompt));
    rt::Call::cost(&mut __ratelimit_call, 0usize, __ratelimit_units);
    let __ratelimit_outcome = rt::Call::admit(__ratelimit_call).await;
    match __ratelimit_outcome {
        rt::Ok(__ratelimit_permit) => client().complete(prompt).await,
        rt::Err(__ratelimit_denied) => {
            return rt::FromDenied::from_denied(__ratelimit_denied);
        }
    }
}
