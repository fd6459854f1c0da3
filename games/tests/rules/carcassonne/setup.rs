//! Setups from clients are checked.

use bridgemaster_games::carcassonne::{Carcassonne, Config, Setup};
use bridgemaster_games::{NoEvents, Rules, Seed};

use crate::carcassonne::position::kind;
use crate::play::{seat, seats};

fn draw(config: &Config, count: u8, seed: &str) -> Setup {
    Carcassonne::draw_setup(config, seats(count), &seed.parse().unwrap()).unwrap()
}

fn without_drawbridges() -> Config {
    Config { drawbridges: false, ..Config::default() }
}

#[test]
fn the_first_seat_comes_from_the_seed() {
    // Ruling C1 applies.
    let mut counts = [0; 5];
    for seed in 0..2000u64 {
        let setup = Carcassonne::draw_setup(&Config::default(), seats(5), &Seed::from(seed));
        counts[setup.unwrap().first.index()] += 1;
    }
    assert!(counts.iter().all(|count| (320..480).contains(count)), "{counts:?}");
}

#[test]
fn the_number_of_seats_shifts_no_tile() {
    let config = Config::default();
    assert_eq!(draw(&config, 2, "london").tiles, draw(&config, 5, "london").tiles);
}

#[test]
fn a_bad_setup_is_refused_with_its_field() {
    let refused = |config: &Config, alter: &dyn Fn(&mut Setup)| {
        let mut setup = draw(&Config::default(), 3, "london");
        alter(&mut setup);
        let started = Carcassonne::start(config, seats(3), &setup, &mut NoEvents);
        started.unwrap_err().to_string()
    };
    let config = Config::default();
    refused! { refused:
        &config, &|setup| setup.first = seat(3)
            => "first: there is no seat 3 at a table of 3",
        &config, &|setup| setup.tiles.truncate(82) => "tiles: must have 83 entries, found 82",
        &without_drawbridges(), &|_| {} => "tiles: must have 71 entries, found 83",
    }
    let twice = |setup: &mut Setup| {
        let first = setup.tiles.iter().position(|&tile| tile == kind("C")).unwrap();
        setup.tiles.swap(0, first);
        setup.tiles[1] = kind("C");
    };
    assert_eq!(refused(&config, &twice), "tiles[1]: C is dealt too often (at most 1)");
    // The start tile is never drawn.
    let start = |setup: &mut Setup| {
        let other = setup.tiles.iter().position(|&tile| tile == kind("C")).unwrap();
        setup.tiles[other] = kind("D");
    };
    assert!(refused(&config, &start).ends_with("D is dealt too often (at most 3)"));
}
