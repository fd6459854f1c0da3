//! Configs, setups and edition files from clients are checked.

use bridgemaster_games::bridges_to_nowhere::{
    BRIDGE_CARDS, BridgeCard, BridgesToNowhere, Config, Contract, Edition, Setup, Style, Symbol,
};
use bridgemaster_games::{Game, NoEvents, Rules, Seed};

use crate::play::{seat, seats};

const BUILT_IN: &str = include_str!("../../../data/bridges_to_nowhere/built_in.toml");

fn draw(config: &Config, seed: &str) -> Setup {
    BridgesToNowhere::draw_setup(config, seats(2), &seed.parse().unwrap()).unwrap()
}

#[test]
fn a_match_of_fewer_games_or_without_contracts_has_the_same_deals() {
    let whole = draw(&Config::default(), "london");
    let config = Config { contracts: false, games: 2, ..Config::default() };
    let short = draw(&config, "london");
    assert_eq!(short.contracts, None);
    assert_eq!(short.deals[..], whole.deals[..2]);
}

#[test]
fn contracts_cards_and_first_drafters_are_about_equally_likely() {
    let (mut contracts, mut first, mut drafters) = ([0; 6], [0; BRIDGE_CARDS], [0; 2]);
    let config = Config::default();
    for seed in 0..4000 {
        let setup = BridgesToNowhere::draw_setup(&config, seats(2), &Seed::from(seed)).unwrap();
        contracts[setup.contracts.unwrap()[0].index()] += 1;
        let card = setup.deals[5].deck[0];
        first[config.edition.cards().iter().position(|other| *other == card).unwrap()] += 1;
        drafters[setup.deals[3].first_drafter.index()] += 1;
    }
    assert!(contracts.iter().all(|count| (580..750).contains(count)), "{contracts:?}");
    assert!(first.iter().all(|count| (120..215).contains(count)), "{first:?}");
    assert!(drafters.iter().all(|count| (1880..2120).contains(count)), "{drafters:?}");
}

#[test]
fn a_config_out_of_range_is_refused_with_its_field() {
    let check = |config: Config| BridgesToNowhere::check_config(&config, seats(2));
    let wins = |contracts_to_win| Config { contracts_to_win, ..Config::default() };
    let games = |games| Config { games, ..Config::default() };
    for count in [1, 2, 3] {
        assert_eq!(check(wins(count)), Ok(()));
    }
    for count in [0, 4] {
        let error = check(wins(count)).unwrap_err().to_string();
        assert_eq!(error, format!("contracts_to_win: {count} is out of range (1..=3)"));
    }
    for count in [0, 7] {
        let error = check(games(count)).unwrap_err().to_string();
        assert_eq!(error, format!("games: {count} is out of range (1..=6)"));
    }
    assert_eq!(check(games(1)), Ok(()));
}

fn setup_error(config: &Config, change: impl FnOnce(&mut Setup)) -> String {
    let mut setup = draw(&Config::default(), "london");
    change(&mut setup);
    let state = BridgesToNowhere::start(config, seats(2), &setup, &mut NoEvents);
    state.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_setup_from_outside_is_refused_with_the_field_that_is_wrong() {
    let error = |change: fn(&mut Setup)| setup_error(&Config::default(), change);
    refused! { error:
        |setup| setup.contracts = None => "contracts: missing: the config plays for contracts",
        |setup| setup.contracts = Some([Contract::Double; 6])
            => "contracts[1]: double is dealt too often (at most 1)",
        |setup| setup.deals.truncate(5) => "deals: must have 6 entries, found 5",
        |setup| setup.deals[3].first_drafter = seat(2)
            => "deals[3].first_drafter: there is no seat 2",
        |setup| setup.deals[2].deck[7].number = Some(9)
            => "deals[2].deck[7]: truss 9 boat fish is not one of the items to deal",
        |setup| {
            let deck = &mut setup.deals[2].deck;
            deck.sort();
            deck[3] = deck[2];
        } => "deals[2].deck[3]: suspension 3 bird boat is dealt too often (at most 1)",
    }
    let without = Config { contracts: false, ..Config::default() };
    assert_eq!(
        setup_error(&without, |_| {}),
        "contracts: must be absent: the config plays without contracts"
    );
    let three = Config { contracts_to_win: 9, ..Config::default() };
    assert_eq!(setup_error(&three, |_| {}), "contracts_to_win: 9 is out of range (1..=3)");
}

#[test]
fn d1_the_built_in_deck_has_each_number_and_a_toll_and_eight_symbol_pairs_a_style() {
    let edition = Edition::built_in();
    let missing = [Symbol::Fish, Symbol::Bird, Symbol::Boat];
    for (style, missing) in Style::ALL.iter().zip(missing) {
        let cards = edition.cards().iter().filter(|card| card.style == *style);
        let cards: Vec<&BridgeCard> = cards.collect();
        let numbers: Vec<Option<u8>> = cards.iter().map(|card| card.number).collect();
        let expected: Vec<Option<u8>> = (1..=7).map(Some).chain([None]).collect();
        assert_eq!(numbers, expected);
        let mut pairs: Vec<(Symbol, Symbol)> =
            cards.iter().map(|card| (card.left, card.right)).collect();
        let in_card_order = pairs.clone();
        pairs.sort();
        assert_ne!(pairs, in_card_order, "symbols follow numbers");
        let all = Symbol::ALL
            .iter()
            .flat_map(|&left| Symbol::ALL.iter().map(move |&right| (left, right)));
        let expected: Vec<(Symbol, Symbol)> =
            all.filter(|pair| *pair != (missing, missing)).collect();
        assert_eq!(pairs, expected);
    }
    assert_eq!(edition.name(), "built-in");
}

fn edition_error(from: &str, to: &str) -> String {
    assert!(BUILT_IN.contains(from), "{from}");
    Edition::from_toml(&BUILT_IN.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn a_bad_edition_file_is_refused_with_its_entry() {
    refused! { edition_error:
        "name = \"built-in\"", "name = \"\"" => "name: must have 1 to 64 printable characters",
        "number = 7", "number = 16" => "cards[6].number: 16 is out of range (1..=15)",
        "number = 7", "number = 0" => "cards[6].number: 0 is out of range (1..=15)",
        "style = \"truss\"", "style = \"cable\"" => "cards: must have 8 of truss, found 7",
    }
    let lines: Vec<&str> = BUILT_IN.lines().collect();
    let shorter = lines.iter().filter(|line| !line.contains("style = \"cable\", left"));
    let shorter: Vec<&str> = shorter.copied().collect();
    assert_eq!(
        Edition::from_toml(&shorter.join("\n")).unwrap_err().to_string(),
        "cards: must have 24 entries, found 23"
    );
    for (from, to, expected) in [
        ("left = \"boat\"", "left = \"ship\"", "unknown variant `ship`"),
        ("number = 7", "number = -1", "invalid value"),
        ("number = 7", "value = 7", "unknown field `value`"),
        ("name = \"built-in\"", "", "missing field `name`"),
        ("cards = [", "cards = ", "TOML parse error"),
    ] {
        let error = edition_error(from, to);
        assert!(error.contains(expected), "{error}");
    }
}
