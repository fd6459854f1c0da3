//! A store in a plain file, which shows what a further storage has to implement. The file is a log
//! of commits. Each begins with its length and its checksum; an incomplete one at the end is
//! dropped.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use bridgemaster_store::{
    Entry, KeyRange, KeyValue, KeyValueStore, Memory, Store as _, StoreError,
};
use prost::Message;
use xxhash_rust::xxh64::xxh64;

use crate::matches::{append, id, open};

#[derive(Clone, PartialEq, Message)]
struct Change {
    #[prost(string, tag = "1")]
    table: String,
    #[prost(bytes = "vec", tag = "2")]
    key: Vec<u8>,
    /// `None` for a deleted key.
    #[prost(bytes = "vec", optional, tag = "3")]
    value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Commit {
    #[prost(message, repeated, tag = "1")]
    changes: Vec<Change>,
}

pub(crate) struct File {
    path: PathBuf,
    log: fs::File,
    /// The content of the file, and the changes of the open transaction.
    content: Memory,
    changes: Vec<Change>,
}

impl File {
    /// Opens the file, or creates it, and drops an incomplete commit.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut log = options.read(true).append(true).create(true).open(path)?;
        let (mut bytes, mut content, mut end) = (Vec::new(), Memory::default(), 0);
        log.read_to_end(&mut bytes)?;
        while let Some((commit, length)) = read_commit(&bytes[end..]) {
            for Change { table, key, value } in commit.changes {
                apply(&mut content, &table, &key, value.as_deref());
            }
            end += length;
        }
        log.set_len(end as u64)?;
        Ok(Self { path: path.to_owned(), log, content, changes: Vec::new() })
    }

    fn change(&mut self, table: &str, key: &[u8], value: Option<&[u8]>) {
        apply(&mut self.content, table, key, value);
        self.changes.push(Change {
            table: table.to_owned(),
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
        });
    }
}

fn apply(content: &mut Memory, table: &str, key: &[u8], value: Option<&[u8]>) {
    match value {
        Some(value) => content.put(table, key, value).unwrap(),
        None => content.delete(table, key).unwrap(),
    }
}

/// Reads the first commit, and returns it with its length in the file.
fn read_commit(bytes: &[u8]) -> Option<(Commit, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let length = u64::from_le_bytes(*length) as usize;
    let body = rest.get(..length)?;
    let is_sound = xxh64(body, 0) == u64::from_le_bytes(*checksum);
    is_sound.then(|| (Commit::decode(body).unwrap(), 16 + length))
}

impl KeyValue for File {
    fn location(&self) -> PathBuf {
        self.path.clone()
    }

    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.content.get(table, key)
    }

    fn scan(&self, table: &str, range: &KeyRange) -> Result<Vec<Entry>, StoreError> {
        self.content.scan(table, range)
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.change(table, key, Some(value));
        Ok(())
    }

    fn delete(&mut self, table: &str, key: &[u8]) -> Result<(), StoreError> {
        self.change(table, key, None);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let changes = std::mem::take(&mut self.changes);
        let body = Commit { changes }.encode_to_vec();
        let head = [body.len() as u64, xxh64(&body, 0)].map(u64::to_le_bytes);
        let bytes = [head.concat(), body].concat();
        let written = self.log.write_all(&bytes);
        let written = written.and_then(|()| self.log.sync_data());
        written
            .map_err(|error| StoreError::Io { path: self.path.clone(), detail: error.to_string() })
    }

    fn roll_back(&mut self) {
        assert!(self.changes.is_empty(), "a refused write is found before a change");
    }
}

pub(crate) async fn a_file_is_read_up_to_its_last_complete_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = KeyValueStore::open(File::open(&path).unwrap());
    store.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    let complete = fs::read(&path).unwrap();
    store.commit(vec![append("a", 1)]).await.unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();
    for cut in [complete.len(), complete.len() + 20, whole.len() - 1, whole.len()] {
        fs::write(&path, &whole[..cut]).unwrap();
        let store = KeyValueStore::open(File::open(&path).unwrap());
        let journal = store.open_match(&id("a")).await.unwrap().unwrap().journal;
        let entries = if cut == whole.len() { 2 } else { 1 };
        assert_eq!(journal.len(), entries);
        store.commit(vec![append("a", entries as u64)]).await.unwrap();
        drop(store);
        let store = KeyValueStore::open(File::open(&path).unwrap());
        let journal = store.open_match(&id("a")).await.unwrap().unwrap().journal;
        assert_eq!(journal.len(), entries + 1);
    }
}
