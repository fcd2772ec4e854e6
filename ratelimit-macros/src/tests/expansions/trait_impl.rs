// #[rate_limit(key = "address", rate = "5/h", algo = "sliding_log", fail = "closed")]
// fn send<'a, 'async_trait>(
//     &'a self,
//     address: &'a str,
// ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'async_trait>>
// where
//     'a: 'async_trait,
//     Self: 'async_trait,
// {
//     Box::pin(async move { self.post(address).await })
// }

use ::ratelimit::__private as rt;

fn send<'a, 'async_trait>(
    &'a self,
    address: &'a str,
) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'async_trait>>
where
    'a: 'async_trait,
    Self: 'async_trait,
{
    Box::pin(async move {
        let mut __ratelimit_call = {
            fn here() {}
            static FACTS: [rt::Facts; 1usize] = [
                rt::Facts::new(
                        rt::Name::Function(|| rt::type_name_of_val(&here)),
                        rt::Key::Word(rt::Word {
                            text: rt::Cow::Borrowed("address"),
                            source: rt::Source::Parameter {
                                slot: 0usize,
                            },
                        }),
                        rt::Rule::__checked(
                            rt::Algorithm::SlidingLog,
                            rt::Rate {
                                count: 5,
                                unit: rt::Unit::Requests,
                                period: rt::Period::from_micros(3600000000),
                            },
                            5,
                            rt::None,
                        ),
                    )
                    .fail(rt::FailMode::Closed),
            ];
            static SITE: rt::Site = rt::Site::new(
                &FACTS,
                rt::concat!(rt::module_path!(), "::", "send"),
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
            (&&&rt::Part(&address))
                .__ratelimit_part(rt::Call::part(&mut __ratelimit_call, 0usize, 0usize));
        }
        let __ratelimit_outcome = rt::Call::admit(__ratelimit_call).await;
        match __ratelimit_outcome {
            rt::Ok(__ratelimit_permit) => self.post(address).await,
            rt::Err(__ratelimit_denied) => {
                return rt::FromDenied::from_denied(__ratelimit_denied);
            }
        }
    })
}
