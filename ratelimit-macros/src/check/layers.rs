//! The layers of one function against each other: those that would count in one bucket, and those that never decide.

use crate::{
    args::Arguments,
    errors::{Errors, Reported},
    function::Function,
    plan::{Cost, End, Layer},
};
use ratelimit_spec::{Algorithm, Argument, Key};
use syn::ext::IdentExt as _;

pub(super) fn check(
    written: &[Arguments],
    layers: &[Result<Layer, Reported>],
    function: &Function,
    errors: &mut Errors,
) {
    let read: Vec<(&Arguments, &Layer)> = written
        .iter()
        .zip(layers)
        .filter_map(|(written, layer)| Some((written, layer.as_ref().ok()?)))
        .collect();
    for (place, (written, layer)) in read.iter().enumerate() {
        let before = read.iter().take(place).map(|(_, other)| *other);
        let others =
            read.iter().enumerate().filter(|(other, _)| *other != place).map(|(at, (_, other))| (at, *other));
        // Of two that say the same the later one is too much.
        let decides = |at: usize, other: &Layer| {
            denies_first(other, layer) && (at < place || !denies_first(layer, other))
        };
        if let Some(sentence) = before.clone().find_map(|other| one_bucket(other, layer, function)) {
            errors.push(written.extent(Argument::Name), sentence);
        } else if let Some((_, tight)) = others.into_iter().find(|(at, other)| decides(*at, other)) {
            let argument = amount(layer);
            let sentence = format!(
                "`{argument}`: {} is never reached, {} denies first, write less than that or remove this layer",
                shown(layer),
                shown(tight)
            );
            errors.push(written.extent(argument), sentence);
        }
    }
}

/// Two layers of one name, or of one stored key: each call would be counted twice, or forgotten by the shorter one's
/// period, and the longer one would admit too much.
fn one_bucket(one: &Layer, other: &Layer, function: &Function) -> Option<String> {
    let function = function.signature.ident.unraw();
    let way_out = match other.rule.algorithm() {
        Algorithm::Concurrency => format!("write for example `name = \"{function}-in-flight\"`"),
        _ => format!("write for example `name = \"{function}-per-{}\"`", other.rule.rate().period),
    };
    if let Some(name) = other.name.as_ref().filter(|name| one.name.as_ref() == Some(name)) {
        return Some(format!(
            "`name`: `{name}` is the name of two layers, and one name is one budget, {way_out}"
        ));
    }
    let algorithm = other.rule.algorithm();
    let period = |layer: &Layer| layer.rule.rate().period;
    let is_one = one.name.is_none()
        && other.name.is_none()
        && algorithm == one.rule.algorithm()
        && (!algorithm.keyed_by_period() || period(one) == period(other))
        && readings(&one.key).iter().any(|reading| readings(&other.key).contains(reading));
    is_one.then(|| {
        let keys = if one.key == other.key {
            format!("`{algorithm}` by `{}`", other.key)
        } else {
            format!("`{algorithm}` by `{}` and by `{}`", one.key, other.key)
        };
        format!("`name`: missing, and without it two layers count in one bucket ({keys}), {way_out}")
    })
}

/// Whether every call that `layer` would deny is denied by `tight`.
///
/// Both have to count each call, alike and where they can be compared; what others count under the layer's name must not
/// make it fuller than `tight`.
fn denies_first(tight: &Layer, layer: &Layer) -> bool {
    let is_plain =
        |layer: &Layer| layer.when.is_none() && layer.plans.is_empty() && matches!(layer.end, End::AsCharged);
    let same_cost =
        matches!((&tight.cost, &layer.cost), (Cost::Constant(one), Cost::Constant(other)) if one == other);
    is_plain(tight)
        && is_plain(layer)
        && same_cost
        && layer.name.is_none()
        && tight.scope == layer.scope
        && !is_expression(tight)
        && !is_expression(layer)
        && tight.key.covers(&layer.key)
        && tight.rule.denies_before(&layer.rule)
}

/// Two expressions are both called `key`, and stand for two values.
fn is_expression(layer: &Layer) -> bool {
    layer.values.iter().any(|value| matches!(value, crate::plan::Value::Expression(_)))
}

/// The argument that says how much passes.
fn amount(layer: &Layer) -> Argument {
    match layer.rule.algorithm() {
        Algorithm::Concurrency => Argument::Limit,
        _ => Argument::Rate,
    }
}

/// How much passes, for whom.
fn shown(layer: &Layer) -> String {
    let (rule, key) = (&layer.rule, &layer.key);
    match rule.algorithm() {
        Algorithm::Concurrency => format!("`{}` in flight by `{key}`", rule.capacity()),
        Algorithm::TokenBucket => format!("`{}` with a burst of {} by `{key}`", rule.rate(), rule.capacity()),
        _ => format!("`{}` by `{key}`", rule.rate()),
    }
}

/// The words that a stored key of this key can consist of: one list for each choice of alternatives.
fn readings(key: &Key) -> Vec<Vec<&str>> {
    /// More choices than a key in use has; beyond, some are not compared.
    const MOST: usize = 64;
    match key {
        Key::Global => vec![vec!["global"]],
        Key::Word(word) => vec![vec![&*word.text]],
        Key::First(choices) => choices.iter().flat_map(readings).take(MOST).collect(),
        Key::All(parts) => parts.iter().fold(vec![Vec::new()], |starts, part| {
            let ends = readings(part);
            let joined = starts.iter().flat_map(|start| ends.iter().map(|end| [&**start, &**end].concat()));
            joined.take(MOST).collect()
        }),
    }
}
