//! Verification that charges and times respect the time control and add up to the totals.

use crate::wire::clock_use_from_wire;
use bridgemaster_proto::{games::FieldError, v1::MatchResult};
use bridgemaster_referee::{Charge, ClockRules, ClockUse, MAX_BANK_MS, MatchLag};

use crate::opening::{expect_equal, invalid_field};

/// Checks that the parts of a charge add up to the elapsed time, and that the rules allow each
/// part.
pub(super) fn check_charge(charge: &Charge, rules: &ClockRules) -> Result<(), String> {
    let parts = [charge.charged_us, charge.uncharged_us, charge.credit_us, charge.referee_lag_us];
    let whole = parts.into_iter().try_fold(0, |sum: u64, part| sum.checked_add(part));
    if whole != Some(charge.elapsed_us) {
        return Err(format!(
            "elapsed_us is {}, but must be the sum of charged_us, uncharged_us, credit_us and \
             referee_lag_us",
            charge.elapsed_us
        ));
    }
    let thinking_us = charge.thinking_us();
    let control = rules.time_control;
    for (field, us, limit_us) in [
        ("charged_us + uncharged_us", thinking_us, as_us(control.cap_ms())),
        ("credit_us", charge.credit_us, rules.max_credit_us()),
    ] {
        if us > limit_us {
            return Err(format!("{field} is {us}, which exceeds the limit of {limit_us}"));
        }
    }
    if charge.charged_us != control.charged_us(thinking_us) {
        return Err(format!(
            "charged_us is {}, but {control} charges {} of {thinking_us}",
            charge.charged_us,
            control.charged_us(thinking_us)
        ));
    }
    Ok(())
}

/// Checks a seat's time statistics in the result.
pub(super) fn check_clock_use(
    stated: &ClockUse,
    recorded: &ClockUse,
    rules: &ClockRules,
) -> Result<(), FieldError> {
    expect_equal("clock_use.answered", &stated.answered, &recorded.answered)?;
    // The result includes requests that timed out, for which no record has a charge.
    for (field, stated, least) in [
        ("charged_us", stated.charged_us, recorded.charged_us),
        ("uncharged_us", stated.uncharged_us, recorded.uncharged_us),
        ("longest_us", stated.longest_us, recorded.longest_us),
        ("credit_us", stated.credit_us, recorded.credit_us),
        ("referee_lag_us", stated.referee_lag_us, recorded.referee_lag_us),
        ("longest_referee_lag_us", stated.longest_referee_lag_us, recorded.longest_referee_lag_us),
    ] {
        if stated < least {
            let problem = format!("expected at least {least} from the records, got {stated}");
            return invalid_field(format!("clock_use.{field}"), problem);
        }
    }
    let control = rules.time_control;
    if stated.longest_us > as_us(control.cap_ms()) {
        let problem = format!("{} exceeds the cap of one decision", stated.longest_us);
        return invalid_field("clock_use.longest_us", problem);
    }
    if stated.longest_referee_lag_us > stated.referee_lag_us {
        let problem = format!("must not exceed the total of {}", stated.referee_lag_us);
        return invalid_field("clock_use.longest_referee_lag_us", problem);
    }
    let increments_us = u64::from(stated.answered) * as_us(control.increment_ms());
    let given_us = as_us(control.bank_ms()) + increments_us;
    let Some(left_us) = given_us.checked_sub(stated.charged_us) else {
        let problem = format!("{} exceeds the {given_us} µs in the bank", stated.charged_us);
        return invalid_field("clock_use.charged_us", problem);
    };
    // Part of an increment is lost when the bank reaches its maximum.
    if given_us <= as_us(MAX_BANK_MS) {
        let left_ms = left_us / 1000;
        expect_equal("clock_use.bank_left_ms", &u64::from(stated.bank_left_ms), &left_ms)?;
    }
    Ok(())
}

/// Checks the whole match's referee lag and its consequences.
pub(super) fn check_referee_lag(
    result: &MatchResult,
    rules: &ClockRules,
) -> Result<(), FieldError> {
    let clocks = result.seats.iter().filter_map(|seat| seat.clock_use.as_ref());
    let clocks: Vec<ClockUse> = clocks.map(clock_use_from_wire).collect();
    let lag = MatchLag::from_clocks(&clocks, rules);
    expect_equal("referee_lag_us", &result.referee_lag_us, &lag.total_us)?;
    expect_equal("longest_referee_lag_us", &result.longest_referee_lag_us, &lag.longest_us)?;
    expect_equal("spoiled_by_referee", &result.spoiled_by_referee, &lag.exceeds_limit)
}

fn as_us(ms: u32) -> u64 {
    u64::from(ms) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_delay_is_uncharged() {
        let rules =
            ClockRules { time_control: "60+0.5d0.2/10".parse().unwrap(), ..ClockRules::default() };
        let check = |charged_us, uncharged_us| {
            let charge =
                Charge { elapsed_us: 900_000, charged_us, uncharged_us, ..Charge::default() };
            check_charge(&charge, &rules)
        };
        assert_eq!(check(700_000, 200_000), Ok(()));
        for (charged_us, uncharged_us) in [(699_999, 200_001), (700_001, 199_999)] {
            let refused = check(charged_us, uncharged_us).unwrap_err();
            assert_eq!(
                refused,
                format!("charged_us is {charged_us}, but 60+0.5d0.2/10 charges 700000 of 900000")
            );
        }
    }
}
