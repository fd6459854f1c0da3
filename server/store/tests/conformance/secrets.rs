use bridgemaster_store::{StoreError, limits::MAX_SECRET_BYTES};

use crate::Subject;

pub(crate) async fn the_first_secret_of_a_name_is_kept(store: Subject<'_>) {
    assert_eq!(store.secret("signing key").await.unwrap(), None);
    let every_value: Vec<u8> = (0..=255).collect();
    let stored = store.get_or_insert_secret("signing key", every_value.clone()).await;
    assert_eq!(stored.unwrap(), every_value);
    let stored = store.get_or_insert_secret("signing key", vec![1]).await;
    assert_eq!(stored.unwrap(), every_value);
    let stored = store.get_or_insert_secret("another", Vec::new()).await;
    assert_eq!(stored.unwrap(), []);
    let found = store.secret("signing key").await.unwrap();
    assert_eq!(found, Some(every_value));
    assert_eq!(store.secret("another").await.unwrap(), Some(Vec::new()));
}

pub(crate) async fn a_secret_beyond_its_limit_is_refused(store: Subject<'_>) {
    let error = store.get_or_insert_secret("s", vec![0; MAX_SECRET_BYTES + 1]).await;
    let error = error.unwrap_err();
    assert!(
        matches!(&error, StoreError::SecretTooLarge { name, bytes: 4_097, limit: 4_096 }
            if name == "s"),
        "{error}"
    );
    let largest = vec![7; MAX_SECRET_BYTES];
    let stored = store.get_or_insert_secret("s", largest.clone()).await.unwrap();
    assert_eq!(stored, largest);
}

pub(crate) async fn intact_secrets_stay_when_damaged_ones_are_removed(store: Subject<'_>) {
    assert_eq!(store.remove_damaged_secrets().await.unwrap(), []);
    let stored = store.get_or_insert_secret("signing key", vec![1]).await.unwrap();
    assert_eq!(store.remove_damaged_secrets().await.unwrap(), []);
    assert_eq!(store.secret("signing key").await.unwrap(), Some(stored));
}
