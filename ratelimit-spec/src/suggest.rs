//! The word that was probably meant.

/// The word of `words` that is closest to `typed`, if one is close enough to be meant.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let _ = (typed, words.into_iter().next());
    todo!()
}
