//! Checks that a setup deals only the items of the game.

use std::fmt::Display;

use crate::FieldError;

/// Checks a list in a setup. It must have `count` items, and no item may occur more often than in
/// `all`.
pub(crate) fn check_dealt<T: Display + PartialEq>(
    field: &str,
    dealt: &[T],
    all: &[T],
    count: usize,
) -> Result<(), FieldError> {
    if dealt.len() != count {
        let problem = format!("must have {count} entries, found {}", dealt.len());
        return FieldError::refuse(field, problem);
    }
    let times = |items: &[T], item: &T| items.iter().filter(|other| *other == item).count();
    for (i, item) in dealt.iter().enumerate() {
        let there = times(all, item);
        let problem = match times(&dealt[..=i], item) {
            _ if there == 0 => format!("{item} is not one of the items to deal"),
            dealt if dealt > there => format!("{item} is dealt too often (at most {there})"),
            _ => continue,
        };
        return FieldError::refuse(format!("{field}[{i}]"), problem);
    }
    Ok(())
}
