//! What chance dealt, held against what there is to deal.

use std::fmt::Display;

use crate::FieldError;

/// Checks a list of a setup: that it has `count` of the items of `all`, each no more often than it
/// is there.
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
            _ if there == 0 => format!("{item} is not among what is dealt"),
            dealt if dealt > there => format!("{item} is dealt too often: {there} in all"),
            _ => continue,
        };
        return FieldError::refuse(format!("{field}[{i}]"), problem);
    }
    Ok(())
}
