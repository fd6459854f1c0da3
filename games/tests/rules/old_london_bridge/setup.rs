//! Setups and edition files from clients are checked.

use bridgemaster_games::old_london_bridge::{
    Coat, Config, Edition, EditionParts, Face, FaceChoice, Kind, OldLondonBridge, Setup,
};
use bridgemaster_games::{Game, NoEvents, Rules, Seed};

use crate::play::{seat, seats};

const BUILT_IN: &str = include_str!("../../../data/old_london_bridge/built_in.toml");

fn draw(config: &Config, count: u8, seed: &str) -> Setup {
    OldLondonBridge::draw_setup(config, seats(count), &seed.parse().unwrap()).unwrap()
}

fn random_faces() -> Config {
    Config { faces: [FaceChoice::Random; 4], ..Config::default() }
}

#[test]
fn a_named_face_shifts_no_other_draw() {
    let random = draw(&random_faces(), 4, "london");
    let mut config = random_faces();
    config.faces[0] = FaceChoice::Face(Face::ChapelTrack);
    let named = draw(&config, 4, "london");
    assert_eq!(named.faces[0], Face::ChapelTrack);
    assert_eq!(Setup { faces: random.faces, ..named }, random);
}

#[test]
fn r25_every_first_orientation_is_about_equally_likely() {
    let mut counts = [0; 6];
    for seed in 0..3000u64 {
        let drawn = OldLondonBridge::draw_setup(&Config::default(), seats(2), &Seed::from(seed));
        counts[usize::from(drawn.unwrap().orientation)] += 1;
    }
    let are_alike = counts.iter().all(|count| (430..570).contains(count));
    assert!(are_alike, "{counts:?}");
}

#[test]
fn every_random_face_is_about_equally_likely() {
    let mut counts = [0; 20];
    for seed in 0..4000u64 {
        let setup = OldLondonBridge::draw_setup(&random_faces(), seats(2), &Seed::from(seed));
        setup.unwrap().faces.iter().for_each(|face| counts[face.index()] += 1);
    }
    for face in Face::ALL {
        let expected = if face.area().base_face() == face { 0..=0 } else { 880..=1120 };
        assert!(expected.contains(&counts[face.index()]), "{face}: {}", counts[face.index()]);
    }
}

#[test]
fn a_face_of_another_area_is_refused() {
    let mut config = Config::default();
    config.faces[2] = FaceChoice::Face(Face::GateLeader);
    let error = OldLondonBridge::check_config(&config, seats(3)).unwrap_err();
    assert_eq!(error.to_string(), "faces.inn: gate_leader is a face of the gate area");
}

fn setup_error(change: impl FnOnce(&mut Setup)) -> String {
    let config = Config::default();
    let mut setup = draw(&config, 4, "london");
    change(&mut setup);
    let state = OldLondonBridge::start(&config, seats(4), &setup, &mut NoEvents);
    state.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_setup_from_outside_is_refused_with_the_field_that_is_wrong() {
    refused! { setup_error:
        |setup| setup.orientation = 6 => "orientation: 6 is out of range (0..=5)",
        |setup| setup.markers.truncate(11) => "markers: must have 12 entries, found 11",
        |setup| setup.markers[4] = 0 => "markers[4]: 0 is not one of the items to deal",
        |setup| setup.markers.fill(2) => "markers[5]: 2 is dealt too often (at most 5)",
        |setup| setup.stairs[3] = seat(4)
            => "stairs[3]: 4 is not one of the items to deal",
        |setup| setup.faces[3] = Face::FullSets
            => "faces.bridge: is full_sets, but the config has most_buildings",
    }
    let twice = setup_error(|setup| setup.stacks[0][3] = setup.stacks[0][1]);
    assert!(twice.starts_with("stacks[0][3]: chapel "), "{twice}");
    assert!(twice.ends_with("is dealt too often (at most 1)"), "{twice}");
    let kind = setup_error(|setup| setup.stacks[0][3] = setup.stacks[1][3]);
    assert!(kind.starts_with("stacks[0][3]: inn "), "{kind}");
    assert!(kind.ends_with("is not one of the items to deal"), "{kind}");
    let tiles = setup_error(|setup| setup.bonus_stacks[2][0] = setup.bonus_stacks[2][1]);
    assert!(tiles.starts_with("bonus_stacks[2][1]: "), "{tiles}");
    let again = setup_error(|setup| setup.stairs[3] = setup.stairs[0]);
    assert!(again.ends_with("is dealt too often (at most 1)"), "{again}");
}

#[test]
fn parks_of_one_coat_are_interchangeable_in_a_setup() {
    let config = Config::default();
    let setup = draw(&config, 3, "london");
    let park = config.edition.ring().iter().position(|&kind| kind == Kind::Park).unwrap();
    let first = config.edition.find(config.edition.building(setup.stacks[park][0]));
    assert_eq!(first, Some(setup.stacks[park][0]), "one identifier stands for all that are alike");
    let start = |setup| OldLondonBridge::start(&config, seats(3), setup, &mut NoEvents).unwrap();
    let mut swapped = setup.clone();
    let alike = |i: &usize| setup.stacks[park][*i] == setup.stacks[park][0];
    let other = (1..12).find(alike).unwrap();
    swapped.stacks[park].swap(0, other);
    assert_eq!(OldLondonBridge::digest(&start(&setup)), OldLondonBridge::digest(&start(&swapped)));
}

#[test]
fn the_house_edition_meets_every_printed_figure() {
    let edition = Edition::built_in();
    let is = |number: u8, kind: Kind, coat: Coat| {
        let building = edition.buildings().iter().find(|other| other.number == Some(number));
        let building = building.unwrap();
        assert_eq!((building.kind, building.coat), (kind, Some(coat)), "{number}");
    };
    is(43, Kind::Haberdashery, Coat::Orange);
    is(20, Kind::Inn, Coat::Blue);
    is(32, Kind::Chapel, Coat::Blue);
    for kind in Kind::ALL.iter().filter(|&&kind| kind != Kind::Guildhall) {
        for coat in Coat::ALL {
            let of_kind = edition.buildings_of(*kind).iter();
            let count = of_kind.filter(|building| building.coat == Some(coat)).count();
            assert_eq!(count, 3, "{kind} {coat}");
        }
    }
    // E6: kind by number modulo 5, coat by the index among the numbers of the kind.
    let kinds = [Kind::Inn, Kind::Gate, Kind::Chapel, Kind::Haberdashery, Kind::Guildhall];
    let coats = [Coat::Blue, Coat::Grey, Coat::Green, Coat::Orange];
    let shifts = [1, 0, 2, 3];
    for number in 1..=60u8 {
        let residue = usize::from(number % 5);
        let place = (1..number).filter(|other| other % 5 == number % 5).count();
        let coat = shifts.get(residue).map(|shift| coats[(place + shift) % 4]);
        let building =
            edition.buildings().iter().find(|other| other.number == Some(number)).unwrap();
        assert_eq!((building.kind, building.coat), (kinds[residue], coat), "{number}");
    }
}

fn entry_error(change: impl FnOnce(&mut EditionParts)) -> String {
    let mut parts: EditionParts = toml::from_str(BUILT_IN).unwrap();
    change(&mut parts);
    let error = Edition::new(&parts).unwrap_err();
    assert!(!error.field.is_empty());
    error.to_string()
}

#[test]
fn an_edition_is_refused_with_the_entry_that_is_wrong() {
    refused! { entry_error:
        |e| e.name.clear() => "name: must have 1 to 64 printable characters",
        |e| e.ring.truncate(5) => "ring: must have 6 entries, found 5",
        |e| e.ring[4] = Kind::Inn => "ring[4]: inn is in the ring twice",
        |e| e.rondel[3] = None => "rondel: exactly one space is \"x\", found 2",
        |e| e.rondel[0] = Some(1) => "rondel: exactly one space is \"x\", found 0",
        |e| e.rondel.swap(0, 2) => "rondel[0]: spaces count from \"x\", so it must be the first",
        |e| e.rondel[2] = Some(4) => "rondel[2]: 4 is out of range (1..=3)",
        |e| e.chapel_last_space = 0 => "chapel_last_space: 0 is out of range (1..=60)",
        |e| e.gate_last_space = 61 => "gate_last_space: 61 is out of range (1..=60)",
        |e| e.chapel_money[1].0 = 16 => "chapel_money[1].space: 16 is out of range (1..=15)",
        |e| e.chapel_money[1].0 = 2 => "chapel_money[1].space: space 2 must be above space 2",
        |e| e.chapel_money[3].1 = 101 => "chapel_money[3].money: 101 is out of range (1..=100)",
        |e| e.gate_bonus[4] = 16 => "gate_bonus[4]: 16 is out of range (1..=15)",
        |e| e.gate_bonus.swap(0, 1) => "gate_bonus[1]: space 3 must be above space 6",
        |e| e.bonus_stacks.truncate(2) => "bonus_stacks: must have 3 entries, found 2",
        |e| e.bonus_stacks[1].truncate(7) => "bonus_stacks[1]: must have 8 entries, found 7",
        |e| e.bonus_stacks[1][0] = e.bonus_stacks[1][1] => "bonus_stacks: must have share 3 times in all, found 2",
        |e| e.buildings.truncate(71) => "buildings: must have 72 entries, found 71",
        |e| e.buildings[17].number = Some(61) => "buildings[17].number: 61 is out of range (1..=60)",
        |e| e.buildings[17].number = Some(2) => "buildings[17].number: 2 is also the number of buildings[0]",
        |e| e.buildings[17].number = None => "buildings[17].number: missing: gate",
        |e| e.buildings[71].number = Some(3) => "buildings[71].number: a park has no house number",
        |e| e.buildings[17].coat = None => "buildings[17].coat: missing: gate",
        |e| e.buildings[50].coat = Some(Coat::Blue) => "buildings[50].coat: a guildhall has all coats; omit the coat",
        |e| e.buildings[17].kind = Kind::Inn => "buildings: must have 12 of gate, found 11",
    }
}

#[test]
fn an_edition_file_of_another_form_is_refused_with_the_line() {
    let cases = [
        (BUILT_IN.replace("[\"x\", 1, 2", "[\"y\", 1, 2"), "\"x\" or an income in pounds"),
        (
            BUILT_IN.replace("[\"chapel\", \"inn\"", "[\"church\", \"inn\""),
            "unknown variant `church`",
        ),
        (BUILT_IN.replace("gate_last_space = 15", "gate_last_space = -1"), "gate_last_space = -1"),
        (BUILT_IN.replace("gate_last_space = 15", ""), "missing field `gate_last_space`"),
        (BUILT_IN.replace("gate_last_space", "last_gate_space"), "unknown field `last_gate_space`"),
    ];
    for (text, expected) in cases {
        let error = Edition::from_toml(&text).unwrap_err();
        assert!(error.field.is_empty());
        assert!(error.to_string().contains(expected), "{error}");
    }
}
