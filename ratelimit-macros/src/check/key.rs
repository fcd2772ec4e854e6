//! Who is counted: words of the key language, or an expression over the parameters.

use super::value::{expression, string};
use crate::{
    args::{Arguments, shown},
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
    plan::Value,
};
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use ratelimit_spec::{Argument, Key, Source, Word};
use syn::{Expr, Index, ext::IdentExt as _};

/// The label of a key that is an expression.
const EXPRESSION: &str = "key";

/// The key, and the values of its parameter words by slot.
pub(super) fn check(
    layer: &Arguments,
    function: &Function,
    errors: &mut Errors,
) -> Result<(Key, Vec<Value>), Reported> {
    let Some(given) = layer.get(Argument::Key) else {
        return Err(layer.unreadable.unwrap_or_else(|| errors.push_fault(layer.span, &Key::missing())));
    };
    let value = expression(given, errors)?;
    let parameters = function.parameters();
    let names: Vec<String> = parameters.iter().map(|name| name.unraw().to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match string(value) {
        Some((text, span)) => words(&text, span, &parameters, &names, errors),
        None => of_expression(value, &names, errors),
    }
}

fn words(
    text: &str,
    span: Span,
    parameters: &[Ident],
    names: &[&str],
    errors: &mut Errors,
) -> Result<(Key, Vec<Value>), Reported> {
    let key = Key::parse(text, names).map_err(|fault| errors.push_fault(span, &fault))?;
    let mut values = Vec::new();
    for word in key.words() {
        if let Source::Parameter { slot } = word.source
            && slot == values.len()
        {
            let value = field(&word.text, span, parameters, names).ok_or_else(|| {
                let sentence = format!("`key`: `{}` is no field of a parameter, write its name", word.text);
                errors.push(span, sentence)
            })?;
            values.push(value);
        }
    }
    Ok((key, values))
}

fn of_expression(value: &Expr, names: &[&str], errors: &mut Errors) -> Result<(Key, Vec<Value>), Reported> {
    if let Expr::Lit(_) = value {
        let sentence = format!(
            "`key`: `{}` is the same for every call, write `key = \"global\"` to count all of them together",
            shown(value)
        );
        return Err(errors.push(Extent::of(value), sentence));
    }
    // Words of a request are no variables: written without quotes they were meant as words.
    let text = value.to_token_stream().to_string();
    if let Ok(key) = Key::parse(&text, names)
        && (key == Key::Global || key.needs_request())
    {
        return Err(
            errors.push(Extent::of(value), format!("`key`: misses its quotes, write `key = \"{key}\"`"))
        );
    }
    let word = Word { text: EXPRESSION.into(), source: Source::Parameter { slot: 0 } };
    Ok((Key::Word(word), vec![Value::Expression(value.clone())]))
}

/// `user.id`: the parameter's own name, at the place of the literal, and the fields behind it.
fn field(word: &str, span: Span, parameters: &[Ident], names: &[&str]) -> Option<Value> {
    let (root, rest) = word.split_once('.').map_or((word, None), |(root, rest)| (root, Some(rest)));
    let mut root = parameters.get(names.iter().position(|name| *name == root)?)?.clone();
    let parameter = root.span();
    // The parameter's hygiene, so that it is found from within other macros; the literal's place, for errors.
    root.set_span(root.span().located_at(span));
    let mut fields = proc_macro2::TokenStream::new();
    for part in rest.into_iter().flat_map(|rest| rest.split('.')) {
        let member = match part.parse::<u32>() {
            Ok(index) => Index { index, span }.into_token_stream(),
            Err(_) => {
                let name = syn::parse_str::<Ident>(part).or_else(|_| syn::parse_str(&format!("r#{part}")));
                let mut name = name.ok()?;
                name.set_span(span);
                name.into_token_stream()
            }
        };
        fields.extend(quote! { . #member });
    }
    Some(Value::Field { root, fields, parameter })
}
