//! Single damaged values: each is reported, and no other value is affected.

use std::{fs, path::Path};

use bridgemaster_store::{
    COMMITS_FILE, DATABASE_FILE, DamageReport, DamagedValue, DataDir, KeyName, KeyStore as _,
    LadderChange, LadderId, LadderStore as _, RecordStore as _, SqliteStore, Store as _,
    StoreError, Write, WriteRefusal,
};

use crate::{append, change, finish, id, key, key_id, open, open_match};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn open_id(name: &str) -> String {
    format!("open-{name}")
}

/// Four matches in play with four entries each, four finished ones, two keys, two secrets, two
/// records and two ladders.
async fn filled(folder: &Path) {
    let store = open(folder).await.unwrap();
    for name in NAMES {
        let ended = format!("ended-{name}");
        let batch = vec![open_match(&open_id(name)), open_match(&ended)];
        store.commit(batch).await.unwrap();
        store.commit(vec![finish(&ended, 3_000)]).await.unwrap();
    }
    for n in 0..4 {
        let appends = NAMES.map(|name| append(&open_id(name), n));
        store.commit(appends.to_vec()).await.unwrap();
    }
    for name in ["north", "south"] {
        let key = key(&format!("key-{name}"), name);
        let key_use = vec![(key.id.clone(), 5)];
        store.add_key(key).await.unwrap();
        store.record_key_uses(key_use).await.unwrap();
        store.get_or_insert_secret(name, b"a secret of the server".to_vec()).await.unwrap();
        let record =
            Write::PutRecord { name: format!("note-{name}"), value: b"something small".to_vec() };
        store.commit(vec![record]).await.unwrap();
        let ladder_id = LadderId::new(format!("ladder-{name}")).unwrap();
        let version = |bot: &str| LadderChange::PutVersion {
            term: 0,
            bot_name: bot.to_owned(),
            bot_version: "1".to_owned(),
            value: b"a version".to_vec(),
        };
        let pair = |number| LadderChange::Pair { term: 0, number, value: b"who plays".to_vec() };
        let end = LadderChange::End { term: 0, number: 0, value: b"who won".to_vec() };
        let value = b"rules".to_vec();
        let changes =
            [LadderChange::Open { value }, version("ada"), version("bob"), pair(0), pair(1), end];
        let changes =
            changes.map(|change| Write::ChangeLadder { ladder_id: ladder_id.clone(), change });
        store.commit(changes.to_vec()).await.unwrap();
    }
    store.close().await.unwrap();
}

/// The readable content of a store: each value as text, or `damaged`.
async fn answers(store: &SqliteStore) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    let mut say = |what: String, answer: Result<String, StoreError>| {
        let answer = match answer {
            Ok(answer) => answer,
            Err(StoreError::Damaged { .. }) => "damaged".to_owned(),
            Err(other) => panic!("{what}: {other}"),
        };
        answers.push((what, answer));
    };
    let listed = store.open_match_ids().await.unwrap();
    let page = store.finished(None, 9).await.unwrap();
    let party = KeyName::new("north").unwrap();
    let of_party = store.list(None, 9, &[(&party).into()]).await.unwrap();
    for name in NAMES {
        let (in_play, ended) = (id(&open_id(name)), id(&format!("ended-{name}")));
        let found = store.open_match(&in_play).await;
        say(in_play.to_string(), found.map(|found| format!("{found:?}")));
        say(format!("{in_play} in the list"), Ok(listed.contains(&in_play).to_string()));
        let found = store.finished_match(&ended).await;
        say(ended.to_string(), found.map(|found| format!("{found:?}")));
        let found = store.replay(&ended).await;
        say(format!("{ended} replay"), found.map(|found| format!("{found:?}")));
        for (what, page) in [("list", &page.matches), ("party", &of_party.matches)] {
            let found = page.iter().find(|found| found.match_id == ended);
            say(format!("{ended} in the {what}"), Ok(format!("{found:?}")));
        }
    }
    let keys = store.keys().await.unwrap();
    for name in ["north", "south"] {
        let key = key_id(&format!("key-{name}"));
        let found = store.key(&key).await;
        say(key.to_string(), found.map(|found| format!("{found:?}")));
        let found = keys.iter().find(|found| found.id == key);
        say(format!("{key} in the list"), Ok(format!("{found:?}")));
        let found = store.secret(name).await;
        say(format!("secret {name}"), found.map(|found| format!("{found:?}")));
        let found = store.record(&format!("note-{name}")).await;
        say(format!("record {name}"), found.map(|found| format!("{found:?}")));
        let found = store.records("note-").await.unwrap().intact;
        let found = found.get(&format!("note-{name}"));
        say(format!("record {name} in the list"), Ok(format!("{found:?}")));
        let ladder = LadderId::new(format!("ladder-{name}")).unwrap();
        let ladders = store.ladders().await.unwrap().intact;
        let found = ladders.iter().find(|found| found.ladder_id == ladder);
        say(ladder.to_string(), Ok(format!("{found:?}")));
        let versions = store.ladder_versions(&ladder).await.unwrap().intact;
        for bot in ["ada", "bob"] {
            let found = versions.iter().find(|found| found.bot_name == bot);
            say(format!("{ladder} {bot}"), Ok(format!("{found:?}")));
        }
        for number in 0..2 {
            let found = store.ladder_match(&ladder, number).await;
            say(format!("{ladder} {number}"), found.map(|found| format!("{found:?}")));
        }
    }
    answers
}

/// Drops damaged values, as an operator does with `key revoke` and `data drop`, and restarts the
/// server. Afterwards nothing is damaged.
async fn drop_damaged(folder: &Path, store: SqliteStore, damaged: &[DamagedValue]) {
    for value in damaged {
        match value {
            DamagedValue::Key(id) => store.remove_damaged_key(id).await.unwrap(),
            // One command covers all of them.
            DamagedValue::Secret(_) => drop(store.remove_damaged_secrets().await.unwrap()),
            DamagedValue::Record(name) => {
                let name = name.clone();
                store.commit(vec![Write::RemoveRecord { name }]).await.unwrap();
            }
            DamagedValue::Ladder(ladder)
            | DamagedValue::LadderVersion { ladder, .. }
            | DamagedValue::LadderMatch { ladder, .. } => {
                let drop = Write::ChangeLadder {
                    ladder_id: LadderId::new(ladder.as_str()).unwrap(),
                    change: LadderChange::Drop,
                };
                store.commit(vec![drop]).await.unwrap();
            }
            // The damaged batch is deleted once no match needs it.
            DamagedValue::Batch(_) => {}
            // This loss is accepted below.
            DamagedValue::Table(_) => {}
            value => {
                let match_id = value.match_id().unwrap().clone();
                let dropped = store.commit(vec![Write::DropMatch { match_id }]).await;
                // A match may have several damaged values.
                let is_gone = dropped.is_err();
                assert!(!is_gone || damaged.len() > 1, "{value}");
            }
        }
    }
    // The sum of the rows differs if a checksum was damaged, since that is what was subtracted.
    store.accept_missing_rows().await.unwrap();
    store.close().await.unwrap();
    open(folder).await.unwrap().close().await.unwrap();
    let dir = DataDir::prepare(folder).unwrap();
    let mut report = bridgemaster_store::check(&dir).await.unwrap();
    let is_batch = |damage: &DamageReport| matches!(damage.value, DamagedValue::Batch(_));
    if !report.damage_reports.is_empty() && report.damage_reports.iter().all(is_batch) {
        // Other matches in play have intact parts of the batch, so a backup can be restored.
        let restored = tempfile::tempdir().unwrap();
        let restored = DataDir::prepare(restored.path()).unwrap();
        bridgemaster_store::restore(folder, &restored).await.unwrap();
        // The batch is deleted together with its matches.
        let store = open(folder).await.unwrap();
        for match_id in store.open_match_ids().await.unwrap() {
            let drop = Write::DropMatch { match_id };
            store.commit(vec![drop]).await.unwrap();
        }
        store.close().await.unwrap();
        report = bridgemaster_store::check(&dir).await.unwrap();
    }
    assert!(report.is_sound(), "{damaged:?}: {report:?}");
}

/// Returns all damage that is reported anywhere.
async fn reported_damages(folder: &Path, store: &SqliteStore) -> Vec<DamagedValue> {
    let dir = bridgemaster_store::DataDir::prepare(folder).unwrap();
    let report = bridgemaster_store::check(&dir).await.unwrap();
    let mut reported: Vec<DamagedValue> =
        report.damage_reports.into_iter().map(|found| found.value).collect();
    for found in store.open_report().damage_reports {
        assert!(reported.contains(&found.value), "{found}");
    }
    reported.dedup();
    reported
}

#[tokio::test]
async fn each_damaged_value_is_reported_alone() {
    let header = || DamagedValue::Header(id("open-b"));
    let journal = || DamagedValue::Journal(id("open-b"));
    let summary = || DamagedValue::Summary(id("ended-b"));
    let replay = || DamagedValue::Replay(id("ended-b"));
    let damaged_key = || DamagedValue::Key(key_id("key-south"));
    let secret = || DamagedValue::Secret("south".to_owned());
    let record = || DamagedValue::Record("note-south".to_owned());
    let of_key = "WHERE name = 'key-south'";
    let south = "WHERE name = 'ladder-south'";
    let of_bob = "WHERE name = 'ladder-south/3/bob1'";
    let of_match = "WHERE name = 'ladder-south/0000000000000001'";
    let ladder = || DamagedValue::Ladder("ladder-south".to_owned());
    let version = || DamagedValue::LadderVersion {
        ladder: "ladder-south".to_owned(),
        bot_name: "bob".to_owned(),
        bot_version: "1".to_owned(),
    };
    let ladder_match =
        || DamagedValue::LadderMatch { ladder: "ladder-south".to_owned(), number: 1 };
    let open_b = "WHERE match_id = 'open-b'";
    let ended_b = "WHERE match_id = 'ended-b'";
    let number_b = "(SELECT finish_number FROM finished_match WHERE match_id = 'ended-b')";
    let cases = [
        (format!("UPDATE open_match SET header = x'00' || substr(header, 2) {open_b}"), header()),
        (format!("UPDATE open_match SET header = NULL {open_b}"), header()),
        (format!("UPDATE open_match SET header = 'text' {open_b}"), header()),
        (format!("UPDATE open_match SET opened_at_unix_ms = 2 {open_b}"), header()),
        (format!("UPDATE open_match SET checksum = checksum + 1 {open_b}"), header()),
        (
            // The entry of `b` in the third batch; the checksums of the other two are intact.
            "UPDATE journal SET body = replace(body, CAST('open-b 2' AS BLOB),                 CAST('open-b 3' AS BLOB))"
                .to_owned(),
            journal(),
        ),
        (format!("UPDATE finished_match SET summary = x'00' {ended_b}"), summary()),
        (format!("UPDATE finished_match SET summary = NULL {ended_b}"), summary()),
        (format!("UPDATE finished_match SET opened_at_unix_ms = 9 {ended_b}"), summary()),
        (format!("UPDATE finished_match SET ended_at_unix_ms = 9 {ended_b}"), summary()),
        (format!("UPDATE finished_match SET ended_at_unix_ms = 'x' {ended_b}"), summary()),
        (format!("UPDATE finished_match SET parties = 'south' {ended_b}"), summary()),
        (format!("UPDATE finished_match SET checksum = NULL {ended_b}"), summary()),
        (format!("UPDATE replay SET replay = x'72' WHERE finish_number = {number_b}"), replay()),
        (format!("DELETE FROM replay WHERE finish_number = {number_b}"), replay()),
        (format!("UPDATE replay SET checksum = 1 WHERE finish_number = {number_b}"), replay()),
        (format!("UPDATE api_key SET value = x'00' || substr(value, 2) {of_key}"), damaged_key()),
        (format!("UPDATE api_key SET value = NULL {of_key}"), damaged_key()),
        (format!("UPDATE api_key SET checksum = checksum + 1 {of_key}"), damaged_key()),
        (format!("UPDATE api_key_use SET value = zeroblob(8) {of_key}"), damaged_key()),
        ("UPDATE secret SET value = x'00' WHERE name = 'south'".to_owned(), secret()),
        (
            "UPDATE secret SET name = 'south!' WHERE name = 'south'".to_owned(),
            DamagedValue::Secret("south!".to_owned()),
        ),
        ("UPDATE record SET value = x'00' WHERE name = 'note-south'".to_owned(), record()),
        ("UPDATE record SET checksum = 7 WHERE name = 'note-south'".to_owned(), record()),
        (format!("UPDATE ladder SET value = x'00' {south}"), ladder()),
        (format!("UPDATE ladder SET value = x'01' || substr(value, 2) {south}"), ladder()),
        (format!("UPDATE ladder_version SET value = x'00' {of_bob}"), version()),
        (format!("UPDATE ladder_version SET value = NULL {of_bob}"), version()),
        (format!("UPDATE ladder_match SET value = x'00' {of_match}"), ladder_match()),
        (format!("UPDATE ladder_match SET value = 'x' {of_match}"), ladder_match()),
    ];
    let sound = tempfile::tempdir().unwrap();
    filled(sound.path()).await;
    let truth = answers(&open(sound.path()).await.unwrap()).await;
    for (sql, damaged) in cases {
        let folder = tempfile::tempdir().unwrap();
        for file in [DATABASE_FILE, COMMITS_FILE] {
            fs::copy(sound.path().join(file), folder.path().join(file)).unwrap();
        }
        change(folder.path(), &sql);
        let store = open(folder.path()).await.unwrap();
        let mut reported = reported_damages(folder.path(), &store).await;
        reported.retain(|value| !matches!(value, DamagedValue::Batch(_)));
        assert_eq!(reported, [damaged], "{sql}");
        let now = answers(&store).await;
        let mut changed = 0;
        for ((what, was), (_, is)) in truth.iter().zip(&now) {
            if was != is {
                // The value is reported, or it is missing from a list that reports the damage under
                // another value.
                assert!(is == "damaged" || is == "None", "{sql}: {what}: {is}");
                assert!(what.contains("-b") || what.contains("south"), "{sql}: {what}");
                changed += 1;
            }
        }
        assert!(changed > 0, "{sql}");
        drop_damaged(folder.path(), store, &reported).await;
    }
}

#[tokio::test]
async fn lists_of_parties_are_rebuilt_when_a_server_starts() {
    let sound = tempfile::tempdir().unwrap();
    filled(sound.path()).await;
    let truth = answers(&open(sound.path()).await.unwrap()).await;
    for damage in [
        "DELETE FROM finished_party WHERE match_id = 'ended-b'",
        "UPDATE finished_party SET match_id = 'x' WHERE match_id = 'ended-b'",
        "UPDATE finished_party SET match_id = 99 WHERE match_id = 'ended-b'",
        "UPDATE finished_party SET name = 'nobody' WHERE match_id = 'ended-b'",
        "INSERT INTO finished_party VALUES ('nobody', 'ended-b')",
        "INSERT INTO finished_party VALUES ('north', 'x')",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        change(folder.path(), damage);
        let dir = DataDir::prepare(folder.path()).unwrap();
        let report = bridgemaster_store::check(&dir).await.unwrap();
        assert!(!report.is_sound(), "{damage}");
        let store = open(folder.path()).await.unwrap();
        assert!(store.open_report().indexes_rebuilt, "{damage}");
        assert_eq!(answers(&store).await, truth, "{damage}");
        store.close().await.unwrap();
        let report = bridgemaster_store::check(&dir).await.unwrap();
        assert!(report.is_sound(), "{damage}: {report:?}");
        let store = open(folder.path()).await.unwrap();
        assert!(!store.open_report().indexes_rebuilt, "{damage}");
    }
}

#[tokio::test]
async fn swapped_rows_are_reported() {
    let swap = |table: &str, column: &str, key: &str, one: &str, other: &str| {
        format!(
            "CREATE TEMP TABLE was AS SELECT {key} AS k, {column} AS v, checksum AS c FROM {table};
             UPDATE {table} SET {column} = (SELECT v FROM was WHERE k = {other}),
                 checksum = (SELECT c FROM was WHERE k = {other}) WHERE {key} = {one};
             UPDATE {table} SET {column} = (SELECT v FROM was WHERE k = {one}),
                 checksum = (SELECT c FROM was WHERE k = {one}) WHERE {key} = {other};"
        )
    };
    let of = |value: fn(bridgemaster_store::MatchId) -> DamagedValue, ids: [&str; 2]| {
        ids.map(|text| value(id(text))).to_vec()
    };
    let journal_of_all = NAMES.map(|name| DamagedValue::Journal(id(&open_id(name))));
    let cases = [
        (
            swap("replay", "replay", "finish_number", "1", "2"),
            of(DamagedValue::Replay, ["ended-a", "ended-b"]),
        ),
        (
            swap("open_match", "header", "match_key", "1", "3"),
            of(DamagedValue::Header, ["open-a", "open-b"]),
        ),
        (
            swap("finished_match", "opened_at_unix_ms", "finish_number", "1", "2"),
            of(DamagedValue::Summary, ["ended-a", "ended-b"]),
        ),
        (
            // Batches 10 and 11 have entries of all matches.
            "CREATE TEMP TABLE was AS SELECT * FROM journal;
             UPDATE journal SET body = (SELECT body FROM was WHERE batch = 11) WHERE batch = 10;
             UPDATE journal SET body = (SELECT body FROM was WHERE batch = 10) WHERE batch = 11;"
                .to_owned(),
            journal_of_all.to_vec(),
        ),
    ];
    for (sql, damaged) in cases {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        // The swapped values must differ.
        change(folder.path(), "UPDATE replay SET replay = replay WHERE finish_number = 1");
        change(folder.path(), &sql);
        let store = open(folder.path()).await.unwrap();
        let mut reported = reported_damages(folder.path(), &store).await;
        reported.retain(|value| !matches!(value, DamagedValue::Batch(_)));
        for value in &damaged {
            assert!(reported.contains(value), "{sql}: {reported:?}");
        }
        assert_eq!(reported.len(), damaged.len(), "{sql}: {reported:?}");
    }
}

#[tokio::test]
async fn a_damaged_match_in_play_can_be_dropped_while_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let damage = "UPDATE journal SET body = replace(body, CAST('open-b 2' AS BLOB),
         CAST('open-b 3' AS BLOB))";
    change(folder.path(), damage);
    let store = open(folder.path()).await.unwrap();
    let refused = store.commit(vec![append("open-b", 4)]).await.unwrap_err();
    assert!(
        matches!(
            &refused,
            StoreError::WriteRefused { refusal: WriteRefusal::MatchDamaged { .. }, .. }
        ),
        "{refused}"
    );
    store.commit(vec![append("open-a", 4)]).await.unwrap();
    let found = store.open_match(&id("open-a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len(), 5);
    store.close().await.unwrap();

    // The damage is still reported, and no batch was swept.
    let store = open(folder.path()).await.unwrap();
    let error = store.open_match(&id("open-b")).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the journal of match open-b is damaged: the entries in batch 1"),
        "{error}"
    );
    let drop = Write::DropMatch { match_id: id("open-b") };
    store.commit(vec![drop]).await.unwrap();
    store.close().await.unwrap();
    let store = open(folder.path()).await.unwrap();
    assert_eq!(store.open_match_ids().await.unwrap().len(), 3);
    let found = store.open_match(&id("open-a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len(), 5);
}

#[tokio::test]
async fn a_match_with_an_unreadable_id_can_be_dropped_by_a_substitute() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let damage = "UPDATE open_match SET match_id = 'no id!' WHERE match_id = 'open-b';
         UPDATE finished_match SET match_id = x'ff' WHERE match_id = 'ended-b'";
    change(folder.path(), damage);
    let store = open(folder.path()).await.unwrap();
    let ids = ["damaged-in-play-3", "damaged-finished-2"].map(id);
    assert!(store.open_match_ids().await.unwrap().contains(&ids[0]));
    let page = store.finished(None, 9).await.unwrap();
    assert_eq!(page.matches.len(), 3);
    assert_eq!(page.damaged[0].value, DamagedValue::Summary(ids[1].clone()));
    let drops = ids.clone().map(|match_id| Write::DropMatch { match_id });
    store.commit(drops.to_vec()).await.unwrap();
    let page = store.finished(None, 9).await.unwrap();
    assert_eq!((page.matches.len(), page.damaged), (3, Vec::new()));
    let again = vec![Write::DropMatch { match_id: ids[1].clone() }];
    let refused = store.commit(again).await.unwrap_err();
    assert!(matches!(refused, StoreError::WriteRefused { .. }), "{refused}");
    store.close().await.unwrap();
    let store = open(folder.path()).await.unwrap();
    assert_eq!(reported_damages(folder.path(), &store).await, []);
}
