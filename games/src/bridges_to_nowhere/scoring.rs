//! Scores of structures, games and the match.

use super::board::{Spot, spots};
use super::components::{Card, Contract, LEVELS, PAIR_POINTS, STYLES, Style, Symbol};
use super::config::MAX_GAMES;
use super::event::Event;
use super::observation::{GameResult, Phase, SeatScore};
use super::run::{ALL_STYLES, StyleSet};
use super::setup::SEATS;
use super::state::{Builder, Fixed, State};
use crate::{EventSink, Outcome, ScoreLine, Seat};

/// A structure's features that contracts reward. Only complete segments count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Achievements {
    /// The length of the longest segment on each level.
    longest_on: [u8; LEVELS],
    /// The length of each style's longest segment.
    longest_of: [u8; STYLES],
    /// The number of cards in level-1 segments.
    ground_cards: u8,
    /// The number of pairs of each symbol.
    pub pairs: [u8; Symbol::ALL.len()],
}

impl Builder {
    /// Returns the structure's points.
    pub(super) fn score(&self, fixed: &Fixed, contract: Option<Contract>) -> SeatScore {
        let mut score = SeatScore::default();
        let mut achieved = Achievements::default();
        for level in 0..LEVELS {
            let (cards, pillars) = (self.structure.cards[level], self.structure.pillars[level]);
            // A segment starts to the right of a pillar.
            for start in spots(level, cards & pillars.rotate_left(1)) {
                let length = self.structure.run(start).length;
                if start.right(length.into()).is_on(&self.structure.pillars) {
                    self.score_segment(fixed, start, length, &mut score, &mut achieved);
                }
            }
        }
        score.contract = contract.map_or(0, |contract| achieved.points(contract));
        score
    }

    fn score_segment(
        &self,
        fixed: &Fixed,
        start: Spot,
        length: u8,
        score: &mut SeatScore,
        achieved: &mut Achievements,
    ) {
        let factor = start.level as u16 + 1;
        let points = |number: Option<u8>| u16::from(number.unwrap_or(0)) * factor;
        let mut styles: StyleSet = ALL_STYLES;
        let mut before = None;
        for place in 0..length {
            let id = self.structure.card(start.right(place.into()));
            styles &= fixed.traits(id).styles;
            let card = fixed.card(id);
            if let Card::Bridge(card) = card {
                score.numbers += points(card.number);
                if card.number.is_none() && (place == 0 || place + 1 == length) {
                    score.tolls += u16::from(length) * factor;
                }
            }
            match (before, card) {
                (Some(Card::Bridge(left)), Card::Bridge(right)) if left.right == right.left => {
                    score.symbols += PAIR_POINTS;
                    achieved.pairs[right.left.index()] += 1;
                }
                (Some(Card::Monument), Card::Bridge(beside))
                | (Some(Card::Bridge(beside)), Card::Monument) => {
                    score.monuments += points(beside.number);
                }
                _ => {}
            }
            before = Some(card);
        }
        let style = Style::ALL.get(styles.trailing_zeros() as usize).copied();
        achieved.add(start.level, length, style.filter(|_| styles.is_power_of_two()));
    }
}

impl Achievements {
    /// Adds a complete segment, but not its pairs. The level counts from 0. A segment of monuments
    /// alone has no style.
    pub fn add(&mut self, level: usize, length: u8, style: Option<Style>) {
        let raise = |longest: &mut u8| *longest = (*longest).max(length);
        raise(&mut self.longest_on[level]);
        if let Some(style) = style {
            raise(&mut self.longest_of[style.index()]);
        }
        if level == 0 {
            self.ground_cards += length;
        }
    }

    /// Returns the points for a contract, from the better of its two conditions.
    pub fn points(&self, contract: Contract) -> u16 {
        let by_length = |length: u8, least: u8, points: u16| match length {
            _ if length < least => 0,
            _ if length == least => 10,
            _ => points,
        };
        let [_, middle, top] = self.longest_on;
        let longest = |lengths: &[u8]| lengths.iter().copied().max().unwrap_or(0);
        match contract {
            Contract::Triple => by_length(top, 3, 25),
            Contract::SpiceOfLife if self.longest_of.iter().any(|&length| length < 3) => 0,
            Contract::SpiceOfLife => by_length(longest(&self.longest_of), 4, 20),
            Contract::LongestMile if self.ground_cards < 9 => 0,
            Contract::LongestMile => 10 + 5 * u16::from(self.ground_cards - 9),
            Contract::SpanningTheDivide => by_length(longest(&self.longest_on), 5, 25),
            Contract::TrialOfTheSea if self.pairs.iter().all(|&pairs| pairs > 0) => 20,
            Contract::TrialOfTheSea if self.pairs.iter().sum::<u8>() >= 3 => 10,
            Contract::TrialOfTheSea => 0,
            Contract::Double => by_length(middle, 4, 25),
        }
    }
}

impl State {
    /// Scores the game, and starts the next one or ends the match.
    pub(super) fn end_game(&mut self, events: &mut impl EventSink<Event>) {
        let contract = self.contract();
        let scores = SEATS.map(|seat| {
            let score = self.seat(seat).score(&self.fixed, contract);
            events.push(Event::Scored { seat, score });
            score
        });
        let [first, second] = scores.map(|score| score.total());
        let winner = (first != second).then(|| SEATS[usize::from(second > first)]);
        self.results.push(GameResult { contract, winner, scores });
        events.push(Event::GameEnded { game: self.game, winner });
        let enough = winner.is_some_and(|seat| self.games_won(seat) == self.fixed.contracts_to_win);
        if enough || self.game + 1 == self.fixed.games {
            self.phase = Phase::Over;
            events.push(Event::MatchEnded);
        } else {
            self.game += 1;
            self.begin_game(events);
        }
    }

    fn games_won(&self, seat: Seat) -> u8 {
        let won = |result: &&GameResult| result.winner == Some(seat);
        self.results.iter().filter(won).count() as u8
    }

    /// Returns the points of a seat in all finished games.
    fn points(&self, seat: Seat) -> u32 {
        let points = |result: &GameResult| u32::from(result.scores[seat.index()].total());
        self.results.iter().map(points).sum()
    }

    /// Returns the result, once the match has ended. Seats are ranked by contracts, then by points
    /// in all games. Tied seats share a place (N12).
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.phase != Phase::Over {
            return None;
        }
        Some(Outcome::ranked(SEATS.map(|seat| {
            let rank_key = (self.games_won(seat), self.points(seat));
            (rank_key, self.breakdown(seat))
        })))
    }

    /// Returns the score lines. In a match of a single game, they are its points by category. In
    /// other matches, there is one line for each game that was played: 1 if the seat won it, and 0
    /// otherwise.
    fn breakdown(&self, seat: Seat) -> Vec<ScoreLine> {
        if let (1, [only]) = (self.fixed.games, &self.results[..]) {
            let lines = only.scores[seat.index()].lines();
            return lines.map(|(name, points)| ScoreLine::new(name, points)).into();
        }
        let won = self.results.iter().map(|game| game.winner == Some(seat));
        let named = GAME_CATEGORIES.iter().zip(won);
        named.map(|(game, won)| ScoreLine::new(game, won)).collect()
    }
}

/// The score categories for a match with several games, one category for each game.
const GAME_CATEGORIES: [&str; MAX_GAMES] =
    ["game_0", "game_1", "game_2", "game_3", "game_4", "game_5"];
