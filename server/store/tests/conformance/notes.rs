use bridgemaster_store::{
    Notes, StoreError, Write, WriteRefusal,
    limits::{MAX_NOTE_BYTES, MAX_NOTE_NAME_BYTES},
};

use crate::Subject;

fn keep(name: &str, value: &[u8]) -> Write {
    Write::KeepNote {
        name: name.to_owned(),
        value: value.to_vec(),
    }
}

fn forget(name: &str) -> Write {
    let name = name.to_owned();
    Write::DropNote { name }
}

async fn names(store: Subject<'_>, prefix: &str) -> Vec<String> {
    let Notes { kept, damaged } = store.notes(prefix).await.unwrap();
    assert!(damaged.is_empty());
    kept.into_keys().collect()
}

pub(crate) async fn the_last_note_of_a_name_is_kept_until_it_is_dropped(store: Subject<'_>) {
    assert_eq!(store.note("a").await.unwrap(), None);
    let every_value: Vec<u8> = (0..=255).collect();
    let batch = vec![keep("a", b"first"), keep("b", b""), keep("a", &every_value)];
    store.commit(batch).await.unwrap();
    assert_eq!(store.note("a").await.unwrap(), Some(every_value));
    assert_eq!(store.note("b").await.unwrap(), Some(Vec::new()));
    let batch = vec![forget("a"), forget("nothing"), keep("b", b"second")];
    store.commit(batch).await.unwrap();
    assert_eq!(store.note("a").await.unwrap(), None);
    assert_eq!(
        store.note("b").await.unwrap().as_deref(),
        Some(&b"second"[..])
    );
}

pub(crate) async fn notes_are_found_by_how_their_names_begin(store: Subject<'_>) {
    let kept = [
        "group\nada\n1",
        "group\nada\n2",
        "groups",
        "request\n%",
        "\u{10ffff}",
    ];
    store
        .commit(kept.map(|name| keep(name, name.as_bytes())).to_vec())
        .await
        .unwrap();
    assert_eq!(names(store, "group\n").await, kept[..2]);
    assert_eq!(names(store, "group").await, kept[..3]);
    assert_eq!(names(store, "request\n%").await, kept[3..4]);
    assert_eq!(names(store, "%").await, [""; 0]);
    assert_eq!(names(store, "").await, kept);
    let found = store.notes("groups").await.unwrap().kept;
    assert_eq!(found["groups"], b"groups");
}

pub(crate) async fn a_note_beyond_its_limits_is_refused_with_its_batch(store: Subject<'_>) {
    let longest = "n".repeat(MAX_NOTE_NAME_BYTES);
    let largest = vec![7; MAX_NOTE_BYTES];
    let batch = vec![keep(&longest, &largest)];
    store.commit(batch).await.unwrap();
    assert_eq!(store.note(&longest).await.unwrap(), Some(largest));
    let too_long = "n".repeat(MAX_NOTE_NAME_BYTES + 1);
    for bad in [
        keep("", b""),
        keep(&too_long, b""),
        keep("large", &vec![7; MAX_NOTE_BYTES + 1]),
    ] {
        let refused = store.commit(vec![keep("fits", b""), bad]).await;
        let refused = refused.unwrap_err();
        assert!(
            matches!(
                &refused,
                StoreError::WriteRefused {
                    index: 1,
                    refusal: WriteRefusal::NoteTooLarge { .. }
                }
            ),
            "{refused}"
        );
        assert!(refused.is_refusal());
        assert_eq!(store.note("fits").await.unwrap(), None);
    }
}
