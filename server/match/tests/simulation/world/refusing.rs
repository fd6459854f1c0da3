//! Answers of servers in a cluster that do not have the match or may not serve it, and checks of
//! the messages of those that do.

use bridgemaster_games::Seat;
use bridgemaster_match::{
    Closing as Reason, FinalMessages, Finish, Outgoing, ServerTime, StreamStart, decode_finished,
    read_histories,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::ResumePoint;

use super::{World, network::Stream};
use crate::{
    auditor::{Auditor, StreamId},
    cluster::database::MatchLocation,
    oracle::{Violation, require},
    shell::{Closing, Gated, Shell, ToBot, decoded, history_of},
};

/// Time after a freeze during which a server may act as before, in µs: for messages in its
/// connections, and before its lease check.
const WAKING_US: u64 = 20_000;

impl<G: WireGame> World<G> {
    /// Handles a connection to a server. Returns whether it is refused or redirected.
    pub(super) fn is_refused(
        &mut self,
        stream: StreamId,
        resume_point: Option<ResumePoint>,
    ) -> Result<bool, Violation> {
        let Stream { seat, server, .. } = self.streams[stream.0];
        if !self.may_answer(server) {
            // Report it to the match, if it is here, because the server refuses its bot.
            if !self.refuse_connection(stream, Closing::NodeSuperseded)? {
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
        match cluster.database.match_location(now) {
            MatchLocation::Over(finish) if can_read => {
                cluster.figures.final_messages += 1;
                self.final_messages(stream, seat, resume_point, &finish)?;
            }
            MatchLocation::At(other) if can_read && other != server => {
                cluster.figures.sent_on += 1;
                self.end_stream(stream, Closing::Moved(other));
            }
            _ => self.end_stream(stream, Closing::NodeSuperseded),
        }
        Ok(true)
    }

    /// Sends the end from the stored summary to a bot.
    fn final_messages(
        &mut self,
        stream: StreamId,
        seat: Seat,
        resume_point: Option<ResumePoint>,
        finish: &Finish,
    ) -> Result<(), Violation> {
        let unread =
            |problem: String| Violation(format!("what is retained of the match: {problem}"));
        let finished = decode_finished(&finish.summary).map_err(unread)?;
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
        let finished_seat = &finished.seats[seat.index()];
        let FinalMessages { resumed, messages } = FinalMessages::for_bot(
            (seat, finished_seat),
            &histories,
            resume_point,
            started,
            ended,
        );
        let start = StreamStart {
            history_id: histories.running(),
            resumed,
            note_bytes_left: 0,
        };
        self.send_to_bot(stream, ToBot::Welcome(start));
        for message in messages {
            let cluster = self.cluster();
            let life = cluster.lives;
            cluster.witness.receives(seat, life, message.clone())?;
            self.send_to_bot(stream, ToBot::Message(Outgoing::from(message)));
        }
        self.end_stream(stream, Closing::ByMatch(Reason::MatchEnded));
        Ok(())
    }

    /// Checks that a message of a server is stored, and that it has the match.
    pub(super) fn check_sent_message(
        &mut self,
        stream: StreamId,
        leaving: &Gated,
    ) -> Result<(), Violation> {
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
        self.check_sent_facts(server)?;
        let life = self.servers[server].shell.as_ref().map(Shell::life);
        match (&leaving.to_bot, life) {
            (ToBot::Message(message), Some(life)) => {
                let response = decoded(message)?;
                self.cluster().witness.receives(seat, life, response)
            }
            _ => Ok(()),
        }
    }

    /// Checks that the facts sent by a server are in the journal, and that no other server may have
    /// the match.
    pub(super) fn check_sent_facts(&mut self, server: usize) -> Result<(), Violation> {
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
        require!(
            (proved..stored).all(is_there),
            "process {server} sends effects of entry {stored}, which is not in the journal"
        );
        cluster.nodes[server].proved = stored;
        let is_waking = now.us_since(cluster.nodes[server].woke_at) <= WAKING_US;
        let is_excused = !cluster.database.clocks_hold || cluster.was_replaced(server) || is_waking;
        require!(
            cluster.is_owner(server) || is_excused,
            "process {server} speaks for the match, which another one has"
        );
        Ok(())
    }

    /// Checks the match in the database at the end: it contains everything that was sent, and each
    /// decision of a bot once and unchanged.
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
        auditor.replay(&handed.entries(), history_of(0), ServerTime::default())?;
        auditor.is_retained(finish)?;
        for bot in &self.bots {
            let last = cluster.witness.last_sent(bot.seat);
            let (_, ended) = auditor
                .referee
                .start_and_end_sequences(bot.seat)
                .unwrap_or_default();
            require!(
                last <= ended,
                "{} was sent {last} messages, and the journal has {ended} with the end",
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
