//! Missing rows: each is reported with its table, and no lost secret is replaced.

use std::path::Path;

use bridgemaster_store::{
    DamageReport, DamagedValue, DataDir, KeyStore as _, LadderChange, LadderId, RecordStore as _,
    SqliteKeys, Store as _, StoreError, Write, backup, check, restore,
};

use crate::{append, change, finish, id, key, open, open_match};

const LADDER: &str = "spring";

fn change_ladder(change: LadderChange) -> Write {
    Write::ChangeLadder { ladder_id: LadderId::new(LADDER).unwrap(), change }
}

fn put_record(value: &[u8]) -> Write {
    Write::PutRecord { name: "note".to_owned(), value: value.to_vec() }
}

/// Rows in every table, of which some were replaced and deleted.
async fn filled(folder: &Path) {
    let store = open(folder).await.unwrap();
    for name in ["a", "b", "c", "d"] {
        store.commit(vec![open_match(name)]).await.unwrap();
    }
    store.commit(vec![append("a", 0)]).await.unwrap();
    for name in ["b", "c"] {
        store.commit(vec![finish(name, 100)]).await.unwrap();
    }
    for match_id in ["c", "d"].map(id) {
        let drop = Write::DropMatch { match_id };
        store.commit(vec![drop]).await.unwrap();
    }
    for value in [b"first", b"other"] {
        store.commit(vec![put_record(value)]).await.unwrap();
    }
    let (term, value) = (0, b"value".to_vec());
    for value in [b"first".to_vec(), b"other".to_vec()] {
        let changes = [
            LadderChange::Open { value: value.clone() },
            LadderChange::PutVersion {
                term,
                bot_name: "ada".to_owned(),
                bot_version: "1".to_owned(),
                value: value.clone(),
            },
            LadderChange::Pair { term, number: 0, value },
        ];
        let drop = change_ladder(LadderChange::Drop);
        let renewed = [drop].into_iter().chain(changes.map(change_ladder));
        store.commit(renewed.collect()).await.unwrap();
    }
    let end = LadderChange::End { term, number: 0, value };
    store.commit(vec![change_ladder(end)]).await.unwrap();
    for name in ["tickets", "signing"] {
        let secret = name.as_bytes().to_vec();
        store.get_or_insert_secret(name, secret).await.unwrap();
    }
    for name in ["north", "south"] {
        let key = key(name, name);
        let id = key.id.clone();
        store.add_key(key).await.unwrap();
        for at in [5, 6] {
            store.record_key_uses(vec![(id.clone(), at)]).await.unwrap();
        }
        store.revoke_key(&id, 7).await.unwrap();
    }
    store.close().await.unwrap();
    let beside = SqliteKeys::open(&DataDir::prepare(folder).unwrap()).await;
    beside.unwrap().add_key(key("east", "east")).await.unwrap();
}

async fn reported(folder: &Path) -> Vec<DamageReport> {
    let dir = DataDir::prepare(folder).unwrap();
    check(&dir).await.unwrap().damage_reports
}

#[tokio::test]
async fn missing_rows_are_reported_by_table_until_they_are_accepted() {
    for (table, rows) in [
        ("open_match", 1),
        ("finished_match", 1),
        ("record", 1),
        ("ladder", 1),
        ("ladder_version", 1),
        ("ladder_match", 1),
        ("api_key", 3),
        ("api_key_use", 2),
        ("secret", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        filled(folder.path()).await;
        assert_eq!(reported(folder.path()).await, [], "{table}");
        let parts = "DELETE FROM finished_party; DELETE FROM replay";
        let parts = if table == "finished_match" { parts } else { "" };
        change(folder.path(), &format!("DELETE FROM {table}; {parts}"));
        let lost = if rows == 1 {
            "1 of its 1 rows is missing".to_owned()
        } else {
            format!("{rows} of its {rows} rows are missing")
        };
        let damage = DamageReport { value: DamagedValue::Table(table), detail: lost };
        assert_eq!(reported(folder.path()).await, std::slice::from_ref(&damage), "{table}");
        let copy = tempfile::tempdir().unwrap();
        backup(&dir, copy.path()).await.unwrap();
        let to = DataDir::prepare(folder.path().join("restored")).unwrap();
        let refused = restore(copy.path(), &to).await.unwrap_err();
        assert!(refused.to_string().contains(table), "{refused}");
        // The loss remains known while the store is used.
        let store = open(folder.path()).await.unwrap();
        store.commit(vec![open_match("e")]).await.unwrap();
        let still = reported(folder.path()).await;
        assert_eq!(still[0].value, damage.value);
        assert_eq!(store.accept_missing_rows().await.unwrap(), still);
        store.commit(vec![put_record(b"later")]).await.unwrap();
        store.close().await.unwrap();
        assert_eq!(reported(folder.path()).await, [], "{table}");
    }
}

#[tokio::test]
async fn a_row_of_an_earlier_commit_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    change(folder.path(), "CREATE TABLE was AS SELECT * FROM record");
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![put_record(b"later")]).await.unwrap();
    store.close().await.unwrap();
    let back = "DELETE FROM record; INSERT INTO record SELECT * FROM was; DROP TABLE was";
    change(folder.path(), back);
    let damage = DamageReport {
        value: DamagedValue::Table("record"),
        detail: "one of its 1 rows is not the row that was committed last".to_owned(),
    };
    assert_eq!(reported(folder.path()).await, [damage]);
}

#[tokio::test]
async fn a_missing_secret_is_not_replaced_until_its_loss_is_accepted() {
    let lose_count = "DELETE FROM key_sum WHERE of_table = 'secret'";
    for lose_more in ["", lose_count] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        let lose = format!("DELETE FROM secret WHERE name = 'signing'; {lose_more}");
        change(folder.path(), &lose);
        let store = open(folder.path()).await.unwrap();
        let get = async |name| store.get_or_insert_secret(name, b"new".to_vec()).await;
        let refused = get("signing").await.unwrap_err();
        let is_missing =
            matches!(&refused, StoreError::SecretMissing { name, .. } if name == "signing");
        assert!(is_missing, "{refused}");
        assert_eq!(get("tickets").await.unwrap(), b"tickets");
        assert_eq!(store.remove_damaged_secrets().await.unwrap().len(), 1);
        assert_eq!(get("signing").await.unwrap(), b"new");
        assert_eq!(get("tickets").await.unwrap(), b"tickets");
        store.close().await.unwrap();
        assert_eq!(reported(folder.path()).await, []);
    }
}

#[tokio::test]
async fn keys_are_read_although_their_count_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    change(folder.path(), "DELETE FROM key_sum WHERE of_table = 'api_key'");
    let store = open(folder.path()).await.unwrap();
    let before = store.keys_version().await.unwrap();
    assert_eq!(store.keys_version().await.unwrap(), before, "nothing changed");
    store.add_key(key("west", "west")).await.unwrap();
    assert_ne!(store.keys_version().await.unwrap(), before);
    let damage = reported(folder.path()).await;
    assert_eq!(damage[0].value, DamagedValue::Table("api_key"));
}
