//! The licences of everything that is built.

use spdx::{Expression, LicenseItem, ParseMode};

use crate::cargo::tree;

/// Licences that ask for no more than to be named, or not even that.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// Returns whether the allowed licences satisfy an expression. An exception only permits more.
fn is_allowed(expression: &str) -> bool {
    // Lax, for the older way to write OR with a slash.
    let parsed = Expression::parse_mode(expression, ParseMode::LAX);
    parsed.is_ok_and(|parsed| {
        parsed.evaluate(|asked| match &asked.license {
            LicenseItem::Spdx { id, .. } => ALLOWED.contains(&id.name),
            LicenseItem::Other { .. } => false,
        })
    })
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    for built in tree(None) {
        let (name, licence) = (&built.name, &built.licence);
        assert!(is_allowed(licence), "{name}: {licence:?} is not allowed");
    }
}

#[test]
fn one_licence_that_is_not_allowed_is_refused_where_it_has_no_alternative() {
    assert!(is_allowed("GPL-3.0-only OR MIT"));
    assert!(is_allowed("GPL-3.0-only/MIT"));
    assert!(!is_allowed("GPL-3.0-only AND MIT"));
    assert!(!is_allowed(""));
}
