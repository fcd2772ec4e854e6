//! What kind of function it is, and whether a limit can guard one of that kind.

use crate::{
    args::Given,
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
    plan::Shape,
};
use ratelimit_spec::{Source, Word};

/// axum and actix take handlers of up to 16 parameters, and one is ours.
const MOST_PARAMETERS: usize = 15;

pub(super) fn asks_request(word: &Word) -> bool {
    matches!(word.source, Source::Request(_))
}

/// `request_word` is the first word of a key that asks the request, and where that key stands.
pub(super) fn check(
    function: &Function,
    request_word: Option<(Extent, String)>,
    flag: Option<&Given>,
    errors: &mut Errors,
) -> Result<Shape, Reported> {
    let signature = &function.signature;
    if let Some(constant) = &signature.constness {
        let sentence = "`rate_limit`: a `const fn` can't wait for a decision, write `async fn`";
        return Err(errors.push(constant.span, sentence));
    }
    let is_async = signature.asyncness.is_some();
    if !is_async && !function.returns_boxed_future() && !function.returns_impl(&["Future"]) {
        let sentence = "`rate_limit`: a plain `fn` can't wait for a decision, write `async fn`, or as return type \
                        `impl Future<Output = ..>` or `Pin<Box<dyn Future<Output = ..>>>`";
        return Err(errors.push(signature.fn_token.span, sentence));
    }
    if !is_async || function.has_receiver() {
        let what = if is_async { "a method that takes `self`" } else { "a `fn` that is not `async`" };
        if let Some((at, word)) = request_word {
            let sentence = format!(
                "`key`: `{word}` asks the request, and {what} is no HTTP handler, write the name of a parameter"
            );
            errors.push(at, sentence);
        }
        if let Some(flag) = flag {
            errors.push(flag.name, format!("`handler`: {what} is no HTTP handler, remove `handler`"));
        }
        return Ok(if is_async { Shape::Async } else { Shape::Future });
    }
    let is_handler = request_word.is_some()
        || flag.is_some()
        || function.has_extractor()
        || function.returns_impl(&["IntoResponse", "Responder"]);
    if !is_handler {
        return Ok(Shape::Async);
    }
    let count = signature.inputs.len();
    if count > MOST_PARAMETERS {
        let sentence = format!(
            "`rate_limit`: a handler can have at most {MOST_PARAMETERS} parameters of its own, this one has {count}, \
             put some of them into one extractor"
        );
        errors.push(signature.ident.span(), sentence);
    }
    Ok(Shape::Handler)
}
