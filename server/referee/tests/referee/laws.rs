//! Tests any inputs, in any order, at any time: runs the fuzz target with random bytes. The oracle
//! of the simulation of matches checks every output, and deadlines alone end the match.

use proptest::prelude::*;

use crate::driver;

/// Generates mostly small numbers: short times, and answers to the open request.
fn any_byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0..128u8, 1 => any::<u8>()]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_referee_keeps_its_rules_under_any_inputs(
        bytes in prop::collection::vec(any_byte(), 0..1200)
    ) {
        driver::run(&bytes);
    }
}
