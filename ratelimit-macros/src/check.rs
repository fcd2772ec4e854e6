//! All rules: from arguments as they were written to a plan that can be emitted.

use crate::{
    args::{Arguments, Given},
    errors::Errors,
    function::Function,
    plan::{Cost, Layer, Plan, Shape, Value},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use ratelimit_spec::{Argument, Draft, FailMode, Fault, Key, Period, Rule, Source, Word, check_name};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp, parse_quote, spanned::Spanned};

/// axum and actix take handlers of up to 16 parameters, and one is ours.
const MOST_PARAMETERS: usize = 15;

pub(crate) fn check(
    layers: Vec<Arguments>,
    function: &Function,
    place: [usize; 2],
    errors: &mut Errors,
) -> Option<Plan> {
    let first = |argument: Argument| layers.iter().find_map(|layer| layer.get(argument));
    let krate =
        first(Argument::Crate).and_then(|given| path(given, errors)).unwrap_or(parse_quote!(::ratelimit));
    let limiter = first(Argument::Limiter).and_then(|given| value(given, errors)).cloned();
    let says_handler = first(Argument::Handler);
    if let Some(Given { value: Some(value), .. }) = says_handler {
        errors.push(value.span(), "`handler`: a flag without a value, write `handler`");
    }
    let checked: Vec<Option<Layer>> =
        layers.iter().map(|layer| check_layer(layer, function, errors)).collect();
    let needs_request = checked.iter().flatten().any(|layer| layer.key.needs_request());
    let shape = check_shape(function, says_handler.is_some() || needs_request, errors);
    if contains_our_call(function.body.stream()) {
        errors.push(
            function.signature.ident.span(),
            "`rate_limit`: another attribute of ours stands below under another name, so the two would not be one \
             decision: write both as `rate_limit`",
        );
    }
    check_pairs(&layers, &checked, errors);
    let layers = checked.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Plan { layers, krate, limiter, shape: shape?, place })
}

/// Two layers that would count in one stored key: the shorter of their rules would decide when it is forgotten, and the
/// longer one would admit too much.
fn check_pairs(arguments: &[Arguments], layers: &[Option<Layer>], errors: &mut Errors) {
    for (at, (given, layer)) in arguments.iter().zip(layers).enumerate() {
        let Some(layer) = layer else { continue };
        let algorithm = layer.rule.algorithm();
        let is_same = |other: &Layer| {
            other.name == layer.name
                && other.key == layer.key
                && other.rule.algorithm() == algorithm
                && (!algorithm.keyed_by_period() || other.rule.rate().period == layer.rule.rate().period)
        };
        if layers.iter().take(at).flatten().any(is_same) {
            errors.push(
                given.span,
                format!(
                    "`rate_limit`: another layer counts by `{}` with `{algorithm}` as well, so both would share one \
                     count: give each a `name` of its own",
                    layer.key
                ),
            );
        }
    }
}

fn check_shape(function: &Function, needs_handler: bool, errors: &mut Errors) -> Option<Shape> {
    let signature = &function.signature;
    let name = signature.ident.span();
    if let Some(constant) = &signature.constness {
        errors
            .push(constant.span(), "`rate_limit`: a `const fn` can't wait for a decision, write `async fn`");
        return None;
    }
    if signature.asyncness.is_none() {
        if function.returns_boxed_future() || function.returns_impl(&["Future"]) {
            return Some(Shape::Future);
        }
        errors.push(
            signature.fn_token.span(),
            "`rate_limit`: the decision may have to be awaited, write `async fn`, or a return type `impl Future<..>` or \
             `Pin<Box<dyn Future<..>>>`",
        );
        return None;
    }
    if function.has_receiver() {
        if needs_handler {
            errors.push(
                name,
                "`rate_limit`: a method that takes `self` is no HTTP handler, so there is no request: key it by its \
                 parameters",
            );
        }
        return Some(Shape::Async);
    }
    let is_handler =
        needs_handler || function.has_extractor() || function.returns_impl(&["IntoResponse", "Responder"]);
    if is_handler && signature.inputs.len() > MOST_PARAMETERS {
        errors.push(
            name,
            format!(
                "`rate_limit`: a handler can have at most {MOST_PARAMETERS} parameters of its own, this one has {}: put \
                 some into one extractor",
                signature.inputs.len()
            ),
        );
    }
    Some(if is_handler { Shape::Handler } else { Shape::Async })
}

fn check_layer(layer: &Arguments, function: &Function, errors: &mut Errors) -> Option<Layer> {
    let key = check_key(layer, function, errors);
    let cost = layer.get(Argument::Cost).map_or(Some(Cost::Constant(1)), |given| check_cost(given, errors));
    let rule = check_rule(layer, cost.as_ref(), errors);
    let name = text(layer, Argument::Name, errors);
    if let Some((name, span)) = &name
        && let Err(fault) = check_name(name)
    {
        errors.push_fault(*span, &fault);
    }
    let fail = text(layer, Argument::Fail, errors)
        .and_then(|(text, span)| keep(FailMode::parse(&text), span, errors));
    let wait = period(layer, Argument::Wait, errors);
    let deadline = period(layer, Argument::Deadline, errors);
    let (key, values) = key?;
    Some(Layer {
        name: name.map(|(name, _)| name),
        key,
        values,
        rule: rule?,
        cost: cost?,
        wait,
        deadline,
        fail,
        arguments: layer.tokens.clone(),
    })
}

fn check_key(layer: &Arguments, function: &Function, errors: &mut Errors) -> Option<(Key, Vec<Value>)> {
    let Some(given) = layer.get(Argument::Key) else {
        errors.push(layer.span, "`key`: missing, write who is counted, for example `key = \"user\"`");
        return None;
    };
    let expression = value(given, errors)?;
    let Some((text, span)) = string(expression) else {
        let word = Word { text: "key".into(), source: Source::Parameter { slot: 0 } };
        return Some((Key::Word(word), vec![Value::Expression(expression.clone())]));
    };
    let parameters = function.parameters();
    let names: Vec<String> = parameters.iter().map(ToString::to_string).collect();
    let plain: Vec<&str> = names.iter().map(|name| name.strip_prefix("r#").unwrap_or(name)).collect();
    let key = keep(Key::parse(&text, &plain), span, errors)?;
    let mut values = Vec::new();
    for word in key.words() {
        if let Source::Parameter { slot } = word.source
            && slot == values.len()
        {
            values.push(field(&word.text, span, &parameters, &plain)?);
        }
    }
    Some((key, values))
}

/// `user.id`: the parameter's own name, at the place of the literal, and the fields behind it.
fn field(word: &str, span: Span, parameters: &[Ident], plain: &[&str]) -> Option<Value> {
    let (root, rest) = word.split_once('.').map_or((word, ""), |(root, rest)| (root, rest));
    let at = plain.iter().position(|name| *name == root)?;
    let mut root = parameters.get(at)?.clone();
    let parameter = root.span();
    // The parameter's hygiene, so that it is found from within other macros; the literal's place, for errors.
    root.set_span(root.span().located_at(span));
    let mut fields = TokenStream::new();
    for part in rest.split('.').filter(|part| !part.is_empty()) {
        let member: TokenTree = match part.parse::<u32>() {
            Ok(index) => proc_macro2::Literal::u32_unsuffixed(index).into(),
            Err(_) => Ident::new(part, span).into(),
        };
        fields.extend(quote! { . #member });
    }
    Some(Value::Field { root, fields, parameter })
}

fn check_cost(given: &Given, errors: &mut Errors) -> Option<Cost> {
    let expression = value(given, errors)?;
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) | Expr::Unary(_) if is_number(expression) => {
            integer(given, errors).map(Cost::Constant)
        }
        Expr::Lit(literal) => {
            errors.push(
                literal.span(),
                "`cost`: a cost is a whole number or an expression, write for example `cost = 10`",
            );
            None
        }
        _ => Some(Cost::Expression(expression.clone())),
    }
}

fn check_rule(layer: &Arguments, cost: Option<&Cost>, errors: &mut Errors) -> Option<Rule> {
    let algo = text(layer, Argument::Algo, errors);
    let rate = text(layer, Argument::Rate, errors);
    let precision = text(layer, Argument::Precision, errors);
    let mut broken = false;
    let mut number = |argument| {
        let given = layer.get(argument)?;
        let number = integer(given, errors);
        broken |= number.is_none();
        number
    };
    let (burst, queue) = (number(Argument::Burst), number(Argument::Queue));
    let is_given = |argument| layer.get(argument).is_some();
    if broken
        || is_given(Argument::Rate) != rate.is_some()
        || is_given(Argument::Algo) != algo.is_some()
        || is_given(Argument::Precision) != precision.is_some()
    {
        // Already told; judging what is left would tell it twice.
        return None;
    }
    let draft = Draft {
        algo: algo.as_ref().map(|(text, _)| text.as_str()),
        rate: rate.as_ref().map(|(text, _)| text.as_str()),
        burst,
        queue,
        precision: precision.as_ref().map(|(text, _)| text.as_str()),
        cost: match cost {
            Some(Cost::Constant(cost)) => Some(*cost),
            _ => None,
        },
    };
    match draft.check() {
        Ok(rule) => Some(rule),
        Err(faults) => {
            for fault in faults {
                let given = layer.get(fault.argument());
                let span = given.map_or(layer.span, |given| {
                    given.value.as_ref().map_or(given.name, |value| value.span())
                });
                errors.push_fault(span, &fault);
            }
            None
        }
    }
}

fn period(layer: &Arguments, argument: Argument, errors: &mut Errors) -> Option<u64> {
    let (text, span) = text(layer, argument, errors)?;
    keep(Period::parse(argument, &text), span, errors).map(Period::as_micros)
}

fn keep<T>(outcome: Result<T, Fault>, span: Span, errors: &mut Errors) -> Option<T> {
    outcome.map_err(|fault| errors.push_fault(span, &fault)).ok()
}

/// The value of an argument that is no flag.
fn value<'g>(given: &'g Given, errors: &mut Errors) -> Option<&'g Expr> {
    if given.value.is_none() {
        let word = given.argument.word();
        errors.push(given.name, format!("`{word}`: misses its value, write `{word} = ..`"));
    }
    given.value.as_ref().map(bare)
}

/// An expression without the invisible group that a macro's `$e:expr` wraps it in.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => bare(&group.expr),
        other => other,
    }
}

fn string(expression: &Expr) -> Option<(String, Span)> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some((text.value(), text.span())),
        _ => None,
    }
}

/// The text of an argument that has to be one.
fn text(layer: &Arguments, argument: Argument, errors: &mut Errors) -> Option<(String, Span)> {
    let expression = value(layer.get(argument)?, errors)?;
    let found = string(expression);
    if found.is_none() {
        let word = argument.word();
        let example = match argument {
            Argument::Rate => "100/min",
            Argument::Algo => "token_bucket",
            Argument::Fail => "closed",
            Argument::Name => "search",
            _ => "1s",
        };
        errors.push(
            expression.span(),
            format!("`{word}`: has to be a text, write for example `{word} = \"{example}\"`"),
        );
    }
    found
}

fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => matches!(lit, Lit::Int(_) | Lit::Float(_)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => is_number(expr),
        _ => false,
    }
}

/// The number of an argument that has to be one.
fn integer(given: &Given, errors: &mut Errors) -> Option<u64> {
    let word = given.argument.word();
    let expression = value(given, errors)?;
    let sentence = match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => match number.base10_parse::<u64>() {
            Ok(number) => return Some(number),
            Err(_) => format!("`{word}`: `{number}` is too large to be counted exactly, 2^53 is the most"),
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if is_number(expr) => {
            format!("`{word}`: has no sign, write a number of at least 1")
        }
        _ => format!("`{word}`: has to be a whole number, write for example `{word} = 20`"),
    };
    errors.push(expression.span(), sentence);
    None
}

fn path(given: &Given, errors: &mut Errors) -> Option<syn::Path> {
    let expression = value(given, errors)?;
    if let Expr::Path(path) = expression {
        return Some(path.path.clone());
    }
    errors.push(
        expression.span(),
        "`crate`: has to be a path, write for example `crate = ::my_framework::ratelimit`",
    );
    None
}

/// Whether a body has been expanded by us before: nested items are not expanded yet when we see them.
fn contains_our_call(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "__ratelimit_call",
        TokenTree::Group(group) => contains_our_call(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
