//! The time that a match took: by its time rules, and by what it adds up to.

use bridgemaster_proto::v1::MatchResult;
use bridgemaster_referee::{Charge, ClockRules, ClockUse, LagOfMatch, MAX_BANK_MS};
use bridgemaster_wire::clock_use_from_wire;

use crate::{
    UNSIGNED_FORMAT_VERSION,
    opening::{BadField, bad, equal},
};

/// The most that is credited for one decision in a replay of this format version, in µs. Servers
/// that did not sign credited all of `round_trip_credit_ms`.
pub(super) fn most_credit_us(format_version: u32, rules: &ClockRules) -> u64 {
    match format_version {
        UNSIGNED_FORMAT_VERSION => as_us(rules.round_trip_credit_ms),
        _ => rules.most_credit_us(),
    }
}

/// Checks that the parts of a charge are its whole, and that each is one that the rules allow.
pub(super) fn check_charge(
    charge: &Charge,
    rules: &ClockRules,
    most_credit_us: u64,
) -> Result<(), String> {
    let parts = [charge.charged_us, charge.credit_us, charge.referee_lag_us];
    let whole = parts
        .into_iter()
        .try_fold(0, |sum: u64, part| sum.checked_add(part));
    if whole != Some(charge.elapsed_us) {
        return Err(format!(
            "elapsed_us is {}, and not the sum of charged_us, credit_us and referee_lag_us",
            charge.elapsed_us
        ));
    }
    for (field, us, limit_us) in [
        ("charged_us", charge.charged_us, as_us(rules.cap_ms)),
        ("credit_us", charge.credit_us, most_credit_us),
    ] {
        if us > limit_us {
            return Err(format!(
                "{field} is {us}, over the {limit_us} that the rules allow"
            ));
        }
    }
    Ok(())
}

/// Checks a seat's use of time in the result.
pub(super) fn check_clock_use(
    stated: &ClockUse,
    recorded: &ClockUse,
    rules: &ClockRules,
) -> Result<(), BadField> {
    equal("clock_use.answered", &stated.answered, &recorded.answered)?;
    // Requests that ran out have their time in the result too, but no charge in a record.
    for (field, stated, least) in [
        ("charged_us", stated.charged_us, recorded.charged_us),
        ("longest_us", stated.longest_us, recorded.longest_us),
        ("credit_us", stated.credit_us, recorded.credit_us),
        (
            "referee_lag_us",
            stated.referee_lag_us,
            recorded.referee_lag_us,
        ),
        (
            "longest_referee_lag_us",
            stated.longest_referee_lag_us,
            recorded.longest_referee_lag_us,
        ),
    ] {
        if stated < least {
            let problem = format!("is {stated}, the records alone give {least}");
            return bad(format!("clock_use.{field}"), problem);
        }
    }
    if stated.longest_us > as_us(rules.cap_ms) {
        let problem = format!("is {}, over the cap", stated.longest_us);
        return bad("clock_use.longest_us", problem);
    }
    if stated.longest_referee_lag_us > stated.referee_lag_us {
        let problem = format!("is over the {} of all requests", stated.referee_lag_us);
        return bad("clock_use.longest_referee_lag_us", problem);
    }
    let given_us = as_us(rules.bank_ms) + u64::from(stated.answered) * as_us(rules.increment_ms);
    let Some(left_us) = given_us.checked_sub(stated.charged_us) else {
        let problem = format!("is {}, the bank had {given_us}", stated.charged_us);
        return bad("clock_use.charged_us", problem);
    };
    // A bank that ever was full has lost some of what it was given.
    if given_us <= as_us(MAX_BANK_MS) {
        let left_ms = left_us / 1000;
        equal(
            "clock_use.bank_left_ms",
            &u64::from(stated.bank_left_ms),
            &left_ms,
        )?;
    }
    Ok(())
}

/// Checks the referee lag of the whole match, and what is said of it.
pub(super) fn check_referee_lag(result: &MatchResult, rules: &ClockRules) -> Result<(), BadField> {
    let clocks = result
        .seats
        .iter()
        .filter_map(|seat| seat.clock_use.as_ref());
    let clocks: Vec<ClockUse> = clocks.map(clock_use_from_wire).collect();
    let lag = LagOfMatch::of(&clocks, rules);
    equal("referee_lag_us", &result.referee_lag_us, &lag.all_us)?;
    equal(
        "longest_referee_lag_us",
        &result.longest_referee_lag_us,
        &lag.longest_us,
    )?;
    equal(
        "spoiled_by_referee",
        &result.spoiled_by_referee,
        &lag.spoils,
    )
}

fn as_us(ms: u32) -> u64 {
    u64::from(ms) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FORMAT_VERSION;

    #[test]
    fn a_replay_that_is_older_than_the_share_of_the_cap_still_holds() {
        let rules = ClockRules {
            cap_ms: 200,
            round_trip_credit_ms: 100,
            ..ClockRules::default()
        };
        let charge = Charge {
            elapsed_us: 90_000,
            charged_us: 60_000,
            credit_us: 30_000,
            ..Charge::default()
        };
        let check = |version| check_charge(&charge, &rules, most_credit_us(version, &rules));
        assert_eq!(check(UNSIGNED_FORMAT_VERSION), Ok(()));
        let refused = check(FORMAT_VERSION).unwrap_err();
        assert!(refused.contains("over the 20000 that"), "{refused}");
    }
}
