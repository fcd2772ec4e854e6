// #[rate_limit(
//     key = "self.host",
//     algo = "concurrency",
//     limit = 32,
//     limiter = self.limiter
// )]
// pub async fn fetch(&mut self, path: &str) -> Result<Response, Error> {
//     self.connection.get(path).await
// }

use ::ratelimit::__private as rt;

pub async fn fetch(&mut self, path: &str) -> Result<Response, Error> {
    let __ratelimit_limiter = rt::limiter(&(self.limiter));
    let mut __ratelimit_call = {
        fn here() {}
        static FACTS: [rt::Facts; 1usize] = [
            rt::Facts::new(
                    rt::Name::Function(|| rt::type_name_of_val(&here)),
                    rt::Key::Word(rt::Word {
                        text: rt::Cow::Borrowed("self.host"),
                        source: rt::Source::Parameter {
                            slot: 0usize,
                        },
                    }),
                    rt::Rule::__concurrency(32, rt::Period::from_micros(30000000)),
                )
                .holds(30000000),
        ];
        static SITE: rt::Site = rt::Site::new(
            &FACTS,
            rt::concat!(rt::module_path!(), "::", "fetch"),
            rt::file!(),
            rt::line!(),
        );
        rt::submit! {
            rt::Declared(& SITE)
        }
        rt::Call::with_limiter(&SITE, __ratelimit_limiter)
    };
    {
        use rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
        (&&&rt::Part(&self.host))
            .__ratelimit_part(rt::Call::part(&mut __ratelimit_call, 0usize, 0usize));
    }
    let __ratelimit_future = async move {
        if let rt::Some(__ratelimit_return) = rt::Option::<
            Result<Response, Error>,
        >::None {
            return __ratelimit_return;
        }
        match () {
            () => self.connection.get(path).await,
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
            let __ratelimit_settling = rt::Holding::end(__ratelimit_holding);
            rt::Settling::done(__ratelimit_settling).await;
            __ratelimit_output
        }
        rt::Err(__ratelimit_denied) => {
            return rt::FromDenied::from_denied(__ratelimit_denied);
        }
    }
}
