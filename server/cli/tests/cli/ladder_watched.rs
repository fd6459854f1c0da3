//! `ladder watch` in a pipe.

#![cfg(unix)]

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::{
    attending::Attendant,
    program::{bridgemaster, succeed, wait_for},
    served_match::Served,
};

#[test]
fn watching_a_ladder_ends_when_nobody_reads_the_news_any_more() {
    let server = Served::start(&[]);
    let create = "ladder create class --game carcassonne --house-bot random --server";
    succeed(create.split(' ').chain([server.url.as_str()]));
    let _bots = ["greedy", "random"]
        .map(|bot| Attendant::start(&server, &["bot", bot, "--queue", "class"]));

    let mut watching = bridgemaster(["ladder", "watch", "class", "--server", &server.url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut news = BufReader::new(watching.stdout.take().unwrap());
    news.read_line(&mut first).unwrap();
    drop(news);

    assert!(!first.is_empty());
    let status = wait_for("the command to end", || watching.try_wait().unwrap());
    assert!(status.success(), "{status}");
}
