//! Names that nobody gave: of a function by its path, of a policy by its key.

use core::fmt::Write as _;
use ratelimit_spec::{Algorithm, Key, Rule};

/// The path of a function (`shop::Cart::add`), from the type name of an item declared inside it.
///
/// What the compiler writes around it is left out: generic arguments (all instances share a limit), closures, constants
/// without a name, the item itself. `<A as T>::f` becomes `A.T::f`, and `m::<impl m::A>::f` becomes `m::A::f`, so two types never share a name.
pub(super) fn of_function(type_name: &str) -> String {
    let mut path = String::with_capacity(type_name.len());
    let mut generics = 0_u32;
    let mut rest = type_name;
    while let Some(c) = rest.chars().next() {
        let qualified = path.is_empty() || path.ends_with("::");
        let taken = if generics > 0 {
            match c {
                '<' => generics += 1,
                '>' => generics -= 1,
                _ => {}
            }
            // The arrow of a function type closes nothing.
            if rest.starts_with("->") { "->" } else { "" }
        } else if rest.starts_with("::{{closure}}") {
            "::{{closure}}"
        } else if rest.starts_with("::_::") {
            "::_"
        } else if qualified && rest.starts_with("<impl ") {
            path.clear();
            "<impl "
        } else if rest.starts_with(" as ") {
            path.push('.');
            " as "
        } else {
            match c {
                '<' if qualified => {}
                '<' => generics = 1,
                '>' => {}
                c if c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '.' | '-') => path.push(c),
                // A letter that a name may not have must not make two functions one.
                c => {
                    let _ = write!(path, "-{:x}-", u32::from(c));
                }
            }
            ""
        };
        let step = if taken.is_empty() { c.len_utf8() } else { taken.len() };
        rest = rest.get(step..).unwrap_or_default();
    }
    match path.rsplit_once("::") {
        Some((function, _item)) => function.to_owned(),
        None => path,
    }
}

/// The name of a policy on the wire: the words of the key and the period, `tenant.user-60s`, or `global-concurrency`.
pub(super) fn of_policy(key: &Key, rule: &Rule) -> String {
    let mut policy = String::new();
    for word in key.words() {
        if !policy.is_empty() {
            policy.push('.');
        }
        policy.extend(
            word.text.chars().map(|c| if c.is_ascii_alphanumeric() || "._:-".contains(c) { c } else { '_' }),
        );
    }
    if policy.is_empty() {
        policy.push_str("global");
    }
    let _ = match rule.algorithm() {
        Algorithm::Concurrency => write!(policy, "-{}", rule.algorithm()),
        _ => write!(policy, "-{}", rule.rate().period.seconds()),
    };
    policy
}

#[cfg(test)]
mod tests {
    use super::of_function;

    #[test]
    fn function_name_is_its_path_with_its_type() {
        for (type_name, name) in [
            ("shop::search::here", "shop::search"),
            ("shop::search::{{closure}}::here", "shop::search"),
            ("shop::Cart::add::{{closure}}::here", "shop::Cart::add"),
            ("shop::cart::<impl shop::Cart>::add::{{closure}}::here", "shop::Cart::add"),
            ("<shop::Cart as shop::Basket>::add::here", "shop::Cart.shop::Basket::add"),
            ("shop::Cart<T>::add::here", "shop::Cart::add"),
            ("shop::Cart<fn(u8) -> alloc::vec::Vec<u8>>::add::here", "shop::Cart::add"),
            ("<shop::Cart<u8> as shop::Basket<u8>>::add::here", "shop::Cart.shop::Basket::add"),
            ("shop::_::search::here", "shop::search"),
            ("shop::größe::here", "shop::gr-f6--df-e"),
        ] {
            assert_eq!(of_function(type_name), name, "{type_name}");
        }
    }
}
