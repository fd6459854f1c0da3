//! Filters for lists of matches.

use std::{collections::BTreeMap, ops::RangeInclusive};

use bridgemaster_match::{
    MatchId, Origin,
    property::{self, label_value},
};
use bridgemaster_proto::v1::{MatchGroup, MatchInfo, MatchState};
use bridgemaster_store::{IndexKey, KeyName};

use super::ids::position_of_time;

/// A filter for lists of matches. A match must satisfy all conditions.
#[derive(Clone, Debug)]
pub struct MatchQuery {
    /// The state of the match; `Unspecified` selects every state.
    pub state: MatchState,
    /// The game's identifier in the catalogue.
    pub game_id: Option<String>,
    /// Labels that a match must have; it can have more.
    pub labels: BTreeMap<String, String>,
    /// The name of the key that created the match.
    pub maker: Option<String>,
    /// The identifier of the match's group.
    pub group_id: Option<String>,
    /// Whether the result of the match was annulled.
    pub annulled: Option<bool>,
    /// The name of a bot that has a seat in the match.
    pub bot_name: Option<String>,
    /// The creation time in ms since 1970 UTC.
    pub created_unix_ms: RangeInclusive<u64>,
}

/// The properties of a match that never change.
struct FixedProperties<'a> {
    game_id: &'a str,
    labels: &'a BTreeMap<String, String>,
    maker: &'a str,
    group: Option<&'a MatchGroup>,
    created_unix_ms: u64,
}

impl MatchQuery {
    /// Returns a name from the filter, if matches are indexed by that name.
    pub(super) fn party(&self) -> Option<KeyName> {
        let names = self.maker.iter().chain(&self.bot_name);
        names.filter_map(|name| KeyName::new(name).ok()).next()
    }

    /// Returns the keys under which a store indexes all finished matches that satisfy the filter.
    /// Properties that can change at the end of a match are keys only if few matches have them, and
    /// all matches of a key must still be checked.
    pub(super) fn index_keys(&self) -> Vec<IndexKey> {
        let texts = [
            (property::GAME, &self.game_id),
            (property::MAKER, &self.maker),
            (property::BOT, &self.bot_name),
            (property::GROUP, &self.group_id),
        ];
        let texts = texts.into_iter();
        let texts = texts.filter_map(|(name, value)| Some((name, value.clone()?)));
        let labels = self.labels.iter();
        let labels = labels.map(|(name, value)| (property::LABEL, label_value(name, value)));
        let rare = [
            (property::CANCELLED, self.state == MatchState::Cancelled),
            (property::ANNULLED, self.annulled == Some(true)),
        ];
        let rare = rare.into_iter().filter(|(_, is_wanted)| *is_wanted);
        let rare = rare.map(|(name, _)| (name, String::new()));
        let properties = texts.chain(labels).chain(rare);
        properties.map(|(name, value)| IndexKey::of_property(name, &value)).collect()
    }

    /// Returns the positions in the order of identifiers between which all matches of the range of
    /// creation times are. `None` for a range without this end.
    pub(super) fn id_range(&self) -> (Option<MatchId>, Option<MatchId>) {
        let (from, last) = self.created_unix_ms.clone().into_inner();
        let end = last.checked_add(1).and_then(position_of_time);
        (position_of_time(from), end)
    }

    /// Returns whether finished matches that are only in the store can satisfy the filter.
    pub(super) fn includes_finished(&self) -> bool {
        use MatchState as S;
        matches!(self.state, S::Unspecified | S::Ended | S::Cancelled)
    }

    /// Returns whether matches in play can satisfy the filter.
    pub fn includes_in_play(&self) -> bool {
        !matches!(self.state, MatchState::Ended | MatchState::Cancelled)
    }

    pub(super) fn matches_state(&self, state: MatchState) -> bool {
        self.state == MatchState::Unspecified || self.state == state
    }

    /// Returns whether a match with this origin can satisfy the filter.
    pub(super) fn matches_origin(&self, game_id: &str, origin: &Origin) -> bool {
        self.matches_fixed(&FixedProperties {
            game_id,
            labels: &origin.labels,
            maker: origin.maker.as_deref().unwrap_or_default(),
            group: origin.group.as_ref(),
            created_unix_ms: origin.created_unix_ms,
        })
    }

    /// Returns whether a match satisfies all conditions.
    pub(super) fn matches(&self, game_id: &str, info: &MatchInfo) -> bool {
        let has_seat = |name: &String| info.seats.iter().any(|seat| seat.bot_name == *name);
        self.matches_state(info.state())
            && self.bot_name.as_ref().is_none_or(has_seat)
            && self.annulled.is_none_or(|annulled| annulled == info.annulment.is_some())
            && self.matches_fixed(&FixedProperties {
                game_id,
                labels: &info.labels,
                maker: &info.maker,
                group: info.config.as_ref().and_then(|config| config.group.as_ref()),
                created_unix_ms: info.created_unix_ms,
            })
    }

    fn matches_fixed(&self, fixed: &FixedProperties<'_>) -> bool {
        let is = |wanted: &Option<String>, it: &str| wanted.as_deref().is_none_or(|one| one == it);
        let mut labels = self.labels.iter();
        is(&self.game_id, fixed.game_id)
            && is(&self.maker, fixed.maker)
            && is(&self.group_id, fixed.group.map_or("", |group| &group.group_id))
            && labels.all(|(name, value)| fixed.labels.get(name) == Some(value))
            && self.created_unix_ms.contains(&fixed.created_unix_ms)
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{MatchConfig, SeatInfo};

    use super::*;
    use crate::ids::MatchIds;

    fn any() -> MatchQuery {
        MatchQuery {
            state: MatchState::Unspecified,
            game_id: None,
            labels: BTreeMap::new(),
            maker: None,
            group_id: None,
            annulled: None,
            bot_name: None,
            created_unix_ms: 0..=u64::MAX,
        }
    }

    fn labels(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = labels.iter();
        owned.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn match_ids_of_a_time_range_are_between_its_positions() {
        let query = MatchQuery { created_unix_ms: 1_700_000_000_000..=1_700_000_000_001, ..any() };
        let (Some(begin), Some(end)) = query.id_range() else {
            panic!("{query:?}");
        };
        let is_between = |created_unix_us| {
            let (id, _) = MatchIds::default().generate(created_unix_us);
            begin < id && id < end
        };
        let outside = [1_699_999_999_999_999, 1_700_000_000_002_000];
        assert!(!outside.into_iter().any(is_between));
        let inside = [1_700_000_000_000_000, 1_700_000_000_001_999];
        assert!(inside.into_iter().all(is_between));
        assert_eq!(any().id_range().1, None);
    }

    #[test]
    fn a_query_matches_when_all_conditions_hold() {
        let seat = SeatInfo { bot_name: "greedy".to_owned(), ..SeatInfo::default() };
        let group = MatchGroup { group_id: "g".to_owned(), ..MatchGroup::default() };
        let config = MatchConfig { group: Some(group), ..MatchConfig::default() };
        let info = MatchInfo {
            state: MatchState::Running.into(),
            seats: vec![seat],
            labels: labels(&[("run", "7"), ("kind", "nightly")]),
            maker: "ci".to_owned(),
            created_unix_ms: 500,
            config: Some(config),
            ..MatchInfo::default()
        };
        let some = |text: &str| Some(text.to_owned());
        let matches = |query: MatchQuery| query.matches("alhambra", &info);
        assert!(matches(any()));
        let all = MatchQuery {
            state: MatchState::Running,
            game_id: some("alhambra"),
            labels: labels(&[("run", "7")]),
            maker: some("ci"),
            group_id: some("g"),
            annulled: Some(false),
            bot_name: some("greedy"),
            created_unix_ms: 500..=500,
        };
        assert!(matches(all.clone()));
        for but_one in [
            MatchQuery { state: MatchState::Ended, ..all.clone() },
            MatchQuery { game_id: some("carcassonne"), ..all.clone() },
            MatchQuery { labels: labels(&[("run", "7"), ("kind", "weekly")]), ..all.clone() },
            MatchQuery { labels: labels(&[("owner", "7")]), ..all.clone() },
            MatchQuery { maker: some("c"), ..all.clone() },
            MatchQuery { bot_name: some("greed"), ..all.clone() },
            MatchQuery { group_id: some("h"), ..all.clone() },
            MatchQuery { annulled: Some(true), ..all.clone() },
            MatchQuery { created_unix_ms: 501..=900, ..all.clone() },
            MatchQuery { created_unix_ms: 0..=499, ..all },
        ] {
            assert!(!matches(but_one.clone()), "{but_one:?}");
        }
    }
}
