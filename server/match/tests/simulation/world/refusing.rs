//! What a server among several says to a bot whose match it does not have, or may not have; and what
//! is demanded of the words of those that have it.

use bridgemaster_games::Seat;
use bridgemaster_match::{
    Closing as Reason, Finish, LastWords, Moment, Opening, Outgoing, read_finished, read_histories,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::Known;

use super::{World, network::Stream};
use crate::{
    auditor::{Auditor, StreamId},
    cluster::database::Whereabouts,
    oracle::{Violation, demand},
    shell::{Closing, Gated, Shell, ToBot, decoded, history_of},
};

/// How long after it stood still a server may go on as if it had not, in µs: what it had handed to its
/// connections, and what it does before it looks at its lease.
const WAKING_US: u64 = 20_000;

impl<G: WireGame> World<G> {
    /// A bot comes to a server. Whether it is sent away.
    pub(super) fn is_refused(
        &mut self,
        stream: StreamId,
        known: Option<Known>,
    ) -> Result<bool, Violation> {
        let Stream { seat, server, .. } = self.streams[stream.0];
        if !self.may_answer(server) {
            // The match hears of it, if it is here: the server keeps its bot away.
            if !self.turn_away(stream, Closing::NodeSuperseded)? {
                self.end_stream(stream, Closing::NodeSuperseded);
            }
            return Ok(true);
        }
        if self.servers[server].shell.is_some() {
            return Ok(false);
        }
        let now = self.now;
        let cluster = self.cluster();
        let node = &cluster.nodes[server];
        let can_read = cluster.database.is_up && now >= node.cut_until;
        match cluster.database.whereabouts(now) {
            Whereabouts::Over(finish) if can_read => {
                cluster.figures.last_words += 1;
                self.last_words(stream, seat, known, &finish)?;
            }
            Whereabouts::At(other) if can_read && other != server => {
                cluster.figures.sent_on += 1;
                self.end_stream(stream, Closing::Moved(other));
            }
            _ => self.end_stream(stream, Closing::NodeSuperseded),
        }
        Ok(true)
    }

    /// What is kept of the match tells a bot of its end.
    fn last_words(
        &mut self,
        stream: StreamId,
        seat: Seat,
        known: Option<Known>,
        finish: &Finish,
    ) -> Result<(), Violation> {
        let unread = |problem: String| Violation(format!("what is kept of the match: {problem}"));
        let finished = read_finished(&finish.summary).map_err(unread)?;
        let histories = read_histories(finished.histories).map_err(unread)?;
        let info = finished.info.unwrap_or_default();
        let result = info.result.as_ref();
        let forfeit = result.map(|result| result.seats[seat.index()].forfeit());
        if forfeit.is_none_or(|fault| fault != v1::FaultReason::Unspecified) {
            self.end_stream(stream, Closing::SeatClosed);
            return Ok(());
        }
        let started = || v1::MatchStarted {
            match_id: crate::shell::match_id().to_string(),
            seat: seat.number().into(),
            config: info.config.clone().map(|config| {
                Box::new(v1::MatchConfig {
                    seed: None,
                    ..config
                })
            }),
            rules_version: finished.rules_version,
            seats: info.seats.clone(),
            seed_commitment: info.seed_commitment.clone(),
        };
        let ended = || v1::MatchEnded {
            result: info.result.clone(),
            seed: info
                .config
                .clone()
                .and_then(|config| config.seed)
                .unwrap_or_default(),
            seed_salt: info.seed_salt.clone(),
        };
        let told = &finished.seats[seat.index()];
        let LastWords { resumed, messages } =
            LastWords::to((seat, told), &histories, known, started, ended);
        let opening = Opening {
            history_id: histories.running(),
            resumed,
            note_bytes_left: 0,
        };
        self.send_to_bot(stream, ToBot::Welcome(opening));
        for message in messages {
            let cluster = self.cluster();
            let life = cluster.lives;
            cluster.witness.hears(seat, life, message.clone())?;
            self.send_to_bot(stream, ToBot::Message(Outgoing::from(message)));
        }
        self.end_stream(stream, Closing::ByMatch(Reason::MatchEnded));
        Ok(())
    }

    /// Demands of what leaves a server that it is stored, and that this server has the match.
    pub(super) fn leaves(&mut self, stream: StreamId, leaving: &Gated) -> Result<(), Violation> {
        if self.cluster.is_none() {
            return Ok(());
        }
        let Stream { seat, server, .. } = self.streams[stream.0];
        let is_of_match = match &leaving.to_bot {
            ToBot::Welcome(_) | ToBot::Message(_) => true,
            ToBot::Closed(Closing::ByMatch(reason)) => *reason != Reason::Superseded,
            ToBot::Closed(_) => false,
        };
        if !is_of_match {
            return Ok(());
        }
        self.speaks(server)?;
        let life = self.servers[server].shell.as_ref().map(Shell::life);
        match (&leaving.to_bot, life) {
            (ToBot::Message(message), Some(life)) => {
                let response = decoded(message)?;
                self.cluster().witness.hears(seat, life, response)
            }
            _ => Ok(()),
        }
    }

    /// A server tells something of the match: what it has stored must be in the journal, and no other
    /// server may have the match.
    pub(super) fn speaks(&mut self, server: usize) -> Result<(), Violation> {
        let now = self.now;
        let (Some(cluster), Some(shell)) = (&mut self.cluster, &self.servers[server].shell) else {
            return Ok(());
        };
        let (journal, stored) = (&cluster.database.journal, shell.stored());
        let proved = cluster.nodes[server].proved.min(stored);
        let is_there = |place: usize| {
            let there = journal.get(place);
            there.is_some_and(|there| *there.bytes == *shell.entries()[place])
        };
        demand!(
            (proved..stored).all(is_there),
            "process {server} tells what follows from entry {stored}, which is not in the journal"
        );
        cluster.nodes[server].proved = stored;
        let is_waking = now.us_since(cluster.nodes[server].woke_at) <= WAKING_US;
        let is_excused = !cluster.database.clocks_hold || cluster.was_replaced(server) || is_waking;
        demand!(
            cluster.is_owner(server) || is_excused,
            "process {server} speaks for the match, which another one has"
        );
        Ok(())
    }

    /// The match as the database has it in the end. It tells all that was told, and each decision of
    /// a bot once, and as the bot made it.
    pub(super) fn match_in_the_database(&self) -> Result<Auditor<G>, Violation> {
        let Some(cluster) = &self.cluster else {
            return Err(Violation("the server is alone".to_owned()));
        };
        let Some(finish) = &cluster.database.finish else {
            return Err(Violation(
                "nothing happens any more, and the match is not over".to_owned(),
            ));
        };
        let handed = cluster.database.handed();
        let mut auditor = Shell::<G>::auditor_of(&handed)?;
        auditor.replay(&handed.entries(), history_of(0), Moment::default())?;
        auditor.is_kept(finish)?;
        for bot in &self.bots {
            let told = cluster.witness.last_told(bot.seat);
            let (_, ended) = auditor.referee.told(bot.seat).unwrap_or_default();
            demand!(
                told <= ended,
                "{} was told {told} messages, and the journal has {ended} with the end",
                bot.seat
            );
            bot.decided_so(&auditor.decisions_of(bot.seat))?;
        }
        let shells = self.servers.iter().flat_map(|server| &server.shell);
        let inputs: u64 = shells.map(|shell| shell.auditor.inputs).sum();
        auditor.inputs = cluster.inputs + inputs;
        Ok(auditor)
    }
}
