//! A permit that goes along with a stream: [`Metered`].

use super::{Held, Permit};
use crate::{decision::Layer, limit::Unused, resilience::HeldClaim};
use core::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::Stream;
use smallvec::SmallVec;

/// What a stream has used so far, in each layer that its permit holds something in.
#[derive(Debug)]
pub struct Meter {
    layers: SmallVec<[(Layer, u64); 2]>,
}

impl Meter {
    /// So many units more, in every layer.
    pub fn add(&mut self, units: u64) {
        self.each(|_, used| used.saturating_add(units));
    }

    /// So many units in all, in every layer: for a source that counts by itself.
    pub fn set(&mut self, units: u64) {
        self.each(|_, _| units);
    }

    /// What was used, by layer: the new amount from the layer and the one so far.
    pub fn each(&mut self, used: impl Fn(&Layer, u64) -> u64) {
        for (layer, so_far) in &mut self.layers {
            *so_far = used(layer, *so_far);
        }
    }

    /// Units used in the first layer.
    pub fn used(&self) -> u64 {
        self.layers.first().map_or(0, |(_, used)| *used)
    }
}

impl Permit {
    /// Takes the permit along with a stream, whose chunks say what they use: it settles at the stream's end, and at an
    /// error with what was used until then, before that error is handed on. A stream that its receiver drops was used as
    /// well: what it cost is the larger of the estimate and what was used, or with `on_cancel = refund` what was used.
    ///
    /// ```
    /// use futures::{StreamExt as _, stream};
    /// use ratelimit::{Limit, Limiter};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let limiter = Limiter::in_memory();
    /// # let tokens = Limit::builder("tokens").key("tenant").rate("100k tokens/min").build()?;
    /// let permit = limiter.acquire(&tokens).part("tenant", "acme").cost(1_000).await?;
    /// let chunks = stream::iter([Ok::<_, std::io::Error>("to"), Ok("ken")]);
    /// let metered = permit.meter(chunks, |chunk, meter| meter.add(chunk.len() as u64));
    /// assert_eq!(metered.count().await, 2); // 5 units were used, and 995 given back
    /// # let left = limiter.check(&tokens).part("tenant", "acme").cost(0).await?;
    /// # assert_eq!(left.decision().layers()[0].numbers().unwrap().remaining, 99_995);
    /// # Ok(()) }
    /// ```
    pub fn meter<S, T, E, F>(self, stream: S, used: F) -> Metered<S, F>
    where
        S: Stream<Item = Result<T, E>> + Unpin,
        F: FnMut(&T, &mut Meter),
    {
        let Permit { decision, held } = self;
        let claims = held.iter().flat_map(|held| held.claims());
        let layers =
            claims.filter_map(|held| Some((decision.layers().get(held.layer)?.clone(), 0))).collect();
        Metered { stream, used, meter: Meter { layers }, held, settling: None, last: None, is_over: false }
    }
}

type Settling = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A stream that takes a permit along, made by [`Permit::meter`].
#[must_use = "streams do nothing unless polled"]
pub struct Metered<S: Stream, F> {
    stream: S,
    used: F,
    meter: Meter,
    /// `None` once it is settled.
    held: Option<Box<Held>>,
    settling: Option<Settling>,
    /// What is handed on when the permit is settled: the error that ended the stream.
    last: Option<S::Item>,
    is_over: bool,
}

impl<S: Stream, F> Metered<S, F> {
    /// What was used so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The cost of each claim, from it and what was used.
    fn actual(&self, held: &Held, cost: impl Fn(&HeldClaim, u64) -> u64) -> Vec<Option<u64>> {
        let used = held.claims().iter().zip(&self.meter.layers);
        used.map(|(held, (_, used))| Some(cost(held, *used))).collect()
    }
}

impl<S, T, E, F> Stream for Metered<S, F>
where
    S: Stream<Item = Result<T, E>> + Unpin,
    F: FnMut(&T, &mut Meter) + Unpin,
    T: Unpin,
    E: Unpin,
{
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(settling) = &mut this.settling {
                ready!(settling.as_mut().poll(cx));
                this.settling = None;
                return Poll::Ready(this.last.take());
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            let next = ready!(Pin::new(&mut this.stream).poll_next(cx));
            if let Some(Ok(chunk)) = &next {
                (this.used)(chunk, &mut this.meter);
                return Poll::Ready(next);
            }
            // The end, or an error, which is one: settled before it is handed on.
            (this.is_over, this.last) = (true, next);
            let settling = this.held.take().map(|held| {
                let actual = this.actual(&held, |_, used| used);
                Box::pin(async move { drop(held.settle(actual).await) }) as Settling
            });
            this.settling = Some(settling.unwrap_or_else(|| Box::pin(core::future::ready(()))));
        }
    }
}

impl<S: Stream, F> Drop for Metered<S, F> {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else { return };
        let actual = self.actual(&held, |held, used| match held.on_cancel {
            Unused::Keep => used.max(held.claim.cost()),
            Unused::Refund => used,
        });
        held.settle_later(actual);
    }
}

impl<S: Stream, F> fmt::Debug for Metered<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("meter", &self.meter)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}
