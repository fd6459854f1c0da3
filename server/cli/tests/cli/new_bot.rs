//! `bridgemaster new-bot`. That each template builds and plays is tested by `.ci/languages`.

use std::{fs, path::Path};

use bridgemaster_proto::PROTOCOL_REVISION;

use crate::program::{run, succeed};

/// Pages of the libraries with the revision of the protocol.
const PAGES: [&str; 7] = [
    "docs/languages.md",
    "sdk/rust/src/lib.rs",
    "sdk/python/README.md",
    "sdk/typescript/README.md",
    "bots/go/README.md",
    "bots/java/README.md",
    "bots/cpp/README.md",
];

const LANGUAGES: [&str; 6] = ["python", "typescript", "go", "java", "cpp", "rust"];

/// The names of all files below a folder, and their texts.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![(
            path.display().to_string(),
            fs::read_to_string(&path).unwrap(),
        )],
    });
    found.collect()
}

#[test]
fn a_new_bot_of_each_language_names_the_checkout_and_leaves_no_placeholder() {
    let folder = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    let top = top.display().to_string();
    for language in LANGUAGES {
        let made = folder.path().join(language);
        let output = succeed(["new-bot", "--language", language, made.to_str().unwrap()]);
        assert!(output.contains("demo --bots greedy"), "{output}");
        let files = files(&made);
        let source = files
            .iter()
            .filter(|(name, _)| !name.ends_with("Cargo.lock"));
        for (name, text) in source.clone() {
            for placeholder in [
                "@CHECKOUT",
                "@SOURCE",
                "@BUILD",
                "@COMMAND",
                "@TOOLS",
                "@NAMED",
            ] {
                assert!(!text.contains(placeholder), "{name}: {text}");
            }
        }
        let naming = source.filter(|(_, text)| text.contains(&top));
        assert!(naming.count() >= 2, "{language}: {files:?}");
    }
}

#[test]
fn a_folder_that_is_not_empty_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "").unwrap();
    let path = folder.path().to_str().unwrap();
    let ran = run(["new-bot", "--language", "go", path]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is not empty"), "{}", ran.err);
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn an_unknown_language_is_refused_with_those_that_there_are() {
    let ran = run(["new-bot", "--language", "cobol", "my-bot"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    for language in LANGUAGES {
        assert!(ran.err.contains(language), "{}", ran.err);
    }
}

#[test]
fn a_checkout_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let made = folder.path().join("bot");
    let made = made.to_str().unwrap();
    let ran = run(["new-bot", "--language", "go", "--checkout", path, made]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is not a checkout"), "{}", ran.err);
    assert!(!Path::new(made).exists());
}

#[test]
fn the_page_of_each_library_names_the_revision_of_the_protocol() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let revision = format!("protocol revision {PROTOCOL_REVISION}");
    for page in PAGES {
        let text = fs::read_to_string(top.join(page)).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(&revision), "{page}");
    }
}
