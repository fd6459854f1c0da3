//! Tests `bridgemaster new-bot`. `.ci/languages` tests that the bot from each template builds and
//! plays.

use std::{fs, path::Path};

use bridgemaster_proto::PROTOCOL_REVISION;

use crate::kit::program::{assert_has, refused, succeed};

/// Pages of the libraries that state the protocol revision.
const PAGES: [&str; 7] = [
    "docs/guides/bots/overview.md",
    "sdk/rust/src/lib.rs",
    "sdk/python/README.md",
    "sdk/typescript/README.md",
    "bots/go/README.md",
    "bots/java/README.md",
    "bots/cpp/README.md",
];
const LANGUAGES: [&str; 6] = ["python", "typescript", "go", "java", "cpp", "rust"];
/// Files of every bot. Git ignores the files in `.cargo`.
const SHARED_FILES: [&str; 5] =
    ["README.md", "ci/check", ".github/workflows/bot.yml", ".gitlab-ci.yml", ".gitignore"];
const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the names and texts of all files below a folder.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap();
    let found = entries.map(|entry| entry.unwrap().path()).flat_map(|path| {
        if path.is_dir() {
            files(&path)
        } else {
            let text = fs::read_to_string(&path).unwrap();
            vec![(path.display().to_string(), text)]
        }
    });
    found.collect()
}

#[test]
fn a_new_bot_of_each_language_can_be_pushed_since_no_tracked_file_names_the_checkout() {
    let folder = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(TOP).unwrap().display().to_string();
    for language in LANGUAGES {
        let made = folder.path().join(language);
        let output = succeed(format!("new-bot --language {language} {}", made.display()));
        assert_has(&output, &["demo --bots greedy"]);
        assert!(language == "rust" || output.contains(&top), "{output}");
        for name in SHARED_FILES {
            assert!(made.join(name).is_file(), "{language}: {name}");
        }
        let source = files(&made);
        for (name, text) in source.iter().filter(|(name, _)| !name.contains("/.cargo/")) {
            assert!(!text.contains(&top), "{name}: {text}");
            let mut words = text.split('@');
            let is_placeholder = |word: &str| {
                !word.is_empty()
                    && word.bytes().all(|b| b"_ABCDEFGHIJKLMNOPQRSTUVWXYZ".contains(&b))
            };
            assert_eq!(words.find(|word| is_placeholder(word)), None, "{name}: {text}");
        }
        let version = env!("CARGO_PKG_VERSION");
        assert!(source.iter().any(|(_, text)| text.contains(version)), "{language}");
    }
}

#[test]
fn an_invalid_folder_language_or_checkout_is_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "").unwrap();
    let path = folder.path().display();
    refused(format!("new-bot --language go {path}"), &["is not empty"]);
    let bot = folder.path().join("bot");
    let line = format!("new-bot --language go --checkout {path} {path}/bot");
    refused(line, &["is not a checkout"]);
    assert!(!bot.exists());
    refused(format!("new-bot --language cobol {path}/bot"), &LANGUAGES);
    assert!(!bot.exists());
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn the_page_of_each_library_names_the_revision_of_the_protocol() {
    let revision = format!("protocol revision {PROTOCOL_REVISION}");
    for page in PAGES {
        let text = fs::read_to_string(Path::new(TOP).join(page)).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(&revision), "{page}");
    }
}
