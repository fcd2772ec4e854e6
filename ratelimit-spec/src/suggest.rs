//! The word that was probably meant.

/// The word of `words` that is closest to `typed`, if one is close enough to be meant: a third of its letters, and at
/// least one, may be wrong, missing, too many or swapped.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let typed = typed.to_lowercase();
    words
        .into_iter()
        .map(|word| (distance(&typed, word), word))
        .filter(|(distance, word)| *distance <= (word.chars().count().max(typed.chars().count()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // Three rows of the table: the one before last, the last, and the one that is being made.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, letter) in a.chars().enumerate() {
        let mut next = Vec::with_capacity(b.len() + 1);
        let mut left = row + 1;
        next.push(left);
        for (column, other) in b.iter().enumerate() {
            let cell = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let replaced = cell(&last, column) + usize::from(letter != *other);
            let mut least = replaced.min(cell(&last, column + 1) + 1).min(left + 1);
            let behind = column.checked_sub(1);
            if let Some(behind) = behind
                && previous == Some(*other)
                && b.get(behind) == Some(&letter)
            {
                least = least.min(cell(&before, behind) + 1);
            }
            left = least;
            next.push(least);
        }
        before = core::mem::replace(&mut last, next);
        previous = Some(letter);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_mistakes_find_the_word() {
        let words = ["min", "minute", "second", "token_bucket", "sliding_window", "user"];
        for (typed, meant) in [
            ("mn", "min"),
            ("mni", "min"),
            ("MIN", "min"),
            ("secnod", "second"),
            ("tokenbucket", "token_bucket"),
            ("slidingwindow", "sliding_window"),
            ("usr", "user"),
        ] {
            assert_eq!(nearest(typed, words), Some(meant), "{typed}");
        }
    }

    #[test]
    fn what_is_far_from_every_word_suggests_nothing() {
        assert_eq!(nearest("fortnight", ["min", "hour", "day"]), None);
        assert_eq!(nearest("", ["min"]), None);
    }
}
