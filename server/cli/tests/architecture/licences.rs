//! Checks the licences of everything that is built.

use spdx::{Expression, LicenseItem, ParseMode};

use crate::cargo::tree;

/// Licences that require attribution at most.
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

/// Returns whether an expression is satisfied by the allowed licences. Exceptions are ignored,
/// since they only add permissions.
fn is_allowed(expression: &str) -> bool {
    // In lax mode, a slash also means OR, as in old manifests.
    let parsed = Expression::parse_mode(expression, ParseMode::LAX);
    parsed.is_ok_and(|parsed| {
        parsed.evaluate(|asked| match &asked.license {
            LicenseItem::Spdx { id, .. } => ALLOWED.contains(&id.name),
            LicenseItem::Other { .. } => false,
        })
    })
}

#[test]
fn every_crate_has_an_allowed_licence() {
    for built in tree(None) {
        let (name, licence) = (&built.name, &built.licence);
        assert!(is_allowed(licence), "{name}: {licence:?} is not allowed");
    }
}

#[test]
fn a_licence_that_is_not_allowed_needs_an_alternative() {
    assert!(is_allowed("GPL-3.0-only OR MIT"));
    assert!(is_allowed("GPL-3.0-only/MIT"));
    assert!(!is_allowed("GPL-3.0-only AND MIT"));
    assert!(!is_allowed(""));
}
