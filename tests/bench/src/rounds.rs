//! Contenders that take turns, and what is said of their times.

use crate::Error;

type Slice<'a> = Box<dyn FnMut() -> Result<f64, Error> + 'a>;

/// One way to do the work.
pub(crate) struct Contender<'a> {
    name: &'static str,
    slice: Slice<'a>,
}

/// What a contender took, in seconds a call, round by round.
pub(crate) struct Times {
    pub(crate) name: &'static str,
    samples: Vec<f64>,
}

/// The middle of some samples, and the half of them that lies around it.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl<'a> Contender<'a> {
    /// `slice` works for some milliseconds and returns the seconds that one call took.
    pub(crate) fn new(name: &'static str, slice: impl FnMut() -> Result<f64, Error> + 'a) -> Contender<'a> {
        Contender { name, slice: Box::new(slice) }
    }
}

/// Lets all contenders work in turns. Each round begins with another one, so that nobody always follows the same.
pub(crate) fn in_turns(rounds: usize, mut contenders: Vec<Contender<'_>>) -> Result<Vec<Times>, Error> {
    let mut times: Vec<Times> =
        contenders.iter().map(|contender| Times { name: contender.name, samples: Vec::new() }).collect();
    for contender in &mut contenders {
        (contender.slice)()?;
    }
    for _ in 0..rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            times.samples.push((contender.slice)()?);
        }
        contenders.rotate_left(1);
        times.rotate_left(1);
    }
    // Back to the order in which they came.
    let turned = rounds % times.len().max(1);
    times.rotate_right(turned);
    Ok(times)
}

impl Times {
    /// Seconds a call.
    pub(crate) fn spread(&self) -> Spread {
        Spread::of(self.samples.clone())
    }

    /// This time divided by another's, each round by itself.
    pub(crate) fn divided_by(&self, other: &Times) -> Spread {
        Spread::of(self.samples.iter().zip(&other.samples).map(|(this, other)| this / other).collect())
    }
}

impl Spread {
    fn of(mut samples: Vec<f64>) -> Spread {
        samples.sort_by(f64::total_cmp);
        let at = |quarter: usize| {
            let last = samples.len().saturating_sub(1);
            samples.get(last * quarter / 4).copied().unwrap_or(f64::NAN)
        };
        Spread { low: at(1), median: at(2), high: at(3) }
    }
}
