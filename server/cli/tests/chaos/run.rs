//! Plays all matches of a plan, undisturbed or in the storm.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{MatchInfo, Replay};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::timeout,
};

use crate::{
    match_client::MatchClient,
    plan::{Order, Plan, PlannedMatch},
    proxy::Proxy,
    seat::{PlayedSeat, Seat, Seats},
    server_process::ServerProcess,
    storm::{Damage, storm},
};

/// Most seats of a match, so that each seat of a run has a number of its own.
const SEATS: usize = 16;

/// A match that was played to its end.
#[derive(Debug)]
pub(crate) struct PlayedMatch {
    pub(crate) match_id: String,
    pub(crate) seats: Vec<PlayedSeat>,
    /// Once the match has ended for its bots.
    pub(crate) first_replay: Replay,
    /// From the last server.
    pub(crate) replay: Replay,
}

/// All that came of a plan.
#[derive(Debug)]
pub(crate) struct Played {
    /// In the order of the plan.
    pub(crate) matches: Vec<PlayedMatch>,
    /// Matches that the last server lists.
    pub(crate) listed: Vec<MatchInfo>,
    /// Calls of CreateMatch that the server did not answer.
    pub(crate) unanswered_creates: usize,
    /// Requests that watched bots were asked.
    pub(crate) requests: u64,
    pub(crate) damage: Damage,
    /// Connections that bots made.
    pub(crate) connections: u64,
    pub(crate) server_starts: u32,
    /// Log lines that no server may write.
    pub(crate) panics: Vec<String>,
    pub(crate) time: Duration,
}

/// Options of a run.
pub(crate) struct Run<'a> {
    pub(crate) order: &'a Order,
    pub(crate) plan: &'a Plan,
    pub(crate) python: Option<&'a Path>,
    pub(crate) folder: PathBuf,
}

impl Run<'_> {
    /// Plays with nothing going wrong.
    pub(crate) async fn undisturbed(&self) -> Result<Played, String> {
        self.play(None).await
    }

    /// Plays while everything goes wrong that the plan has, and kills the server once more at the
    /// end. `whole` is the number of requests of the undisturbed run.
    pub(crate) async fn disturbed(&self, whole: u64) -> Result<Played, String> {
        self.play(Some(whole)).await
    }

    async fn play(&self, whole: Option<u64>) -> Result<Played, String> {
        let started = Instant::now();
        std::fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        let mut server = ServerProcess::over(&self.folder);
        let played = self.play_with(&mut server, whole);
        let played = timeout(self.order.patience, played).await;
        let late = || Err(format!("not over after {:?}", self.order.patience));
        match played.unwrap_or_else(|_| late()) {
            Ok(played) => Ok(Played {
                server_starts: server.starts,
                panics: server.panics(),
                time: started.elapsed(),
                ..played
            }),
            Err(words) => Err(format!(
                "{words}\nthe last server said: {}\n{}",
                server.last_words(),
                server.panics().join("\n"),
            )),
        }
    }

    async fn play_with(
        &self,
        server: &mut ServerProcess,
        whole: Option<u64>,
    ) -> Result<Played, String> {
        let proxy = Proxy::start().await.map_err(|error| error.to_string())?;
        proxy.lead_to(Some(server.start().await?));
        let client = MatchClient::at(proxy.server());
        let progress = Arc::new(watch::Sender::new(0));
        let seats = Seats::new(&proxy.url, self.python, Arc::clone(&progress));
        let seats = Arc::new(seats);
        let unanswered = Arc::new(AtomicUsize::new(0));

        let mut playing = self.start_matches(&client, &seats, &unanswered);
        let mut ended: Vec<Option<PlayedMatch>> = Vec::new();
        ended.resize_with(self.plan.matches.len(), || None);
        let matches = async {
            while let Some(joined) = playing.join_next().await {
                let (number, played) = joined.map_err(|error| error.to_string())?;
                ended[number] = Some(played?);
            }
            Ok::<_, String>(())
        };
        let damage = match whole {
            None => {
                matches.await?;
                Damage::default()
            }
            Some(whole) => {
                let disturbances = &self.plan.disturbances;
                let heard = progress.subscribe();
                let storm = storm(disturbances, whole, heard, server, &proxy, &seats);
                tokio::try_join!(matches, storm)?.1
            }
        };
        if whole.is_some() {
            // All must still be there after one more.
            proxy.lead_to(None);
            server.kill().await?;
            proxy.lead_to(Some(server.start().await?));
        }
        let mut matches: Vec<PlayedMatch> = ended.into_iter().flatten().collect();
        for one in &mut matches {
            one.replay = client.replay(&one.match_id).await?;
        }
        let listed = client.list().await?;
        server.must_run()?;
        server.kill().await?;
        proxy.wait_until_empty().await;
        Ok(Played {
            matches,
            listed,
            unanswered_creates: unanswered.load(Ordering::Relaxed),
            requests: *progress.borrow(),
            damage,
            connections: proxy.accepted(),
            server_starts: 0,
            panics: Vec::new(),
            time: Duration::ZERO,
        })
    }

    /// Makes and plays the matches, so many at once; each comes with its number in the plan.
    fn start_matches(
        &self,
        client: &MatchClient,
        seats: &Arc<Seats>,
        unanswered: &Arc<AtomicUsize>,
    ) -> JoinSet<(usize, Result<PlayedMatch, String>)> {
        let places = Arc::new(Semaphore::new(self.order.at_once));
        let mut playing = JoinSet::new();
        for (number, planned) in self.plan.matches.iter().cloned().enumerate() {
            let (client, seats) = (client.clone(), Arc::clone(seats));
            let (places, unanswered) = (Arc::clone(&places), Arc::clone(unanswered));
            playing.spawn(async move {
                // The semaphore is never closed.
                let _place = places.acquire_owned().await;
                let played = play_match(number, &planned, &client, &seats, &unanswered).await;
                (number, played)
            });
        }
        playing
    }
}

async fn play_match(
    number: usize,
    planned: &PlannedMatch,
    client: &MatchClient,
    seats: &Arc<Seats>,
    unanswered: &AtomicUsize,
) -> Result<PlayedMatch, String> {
    let (made, lost) = client.create(planned).await?;
    unanswered.fetch_add(lost, Ordering::Relaxed);
    let match_id = made.r#match.ok_or("CreateMatch gives no match")?.match_id;
    let mut playing = JoinSet::new();
    for (place, (player, ticket)) in planned.players.iter().zip(made.tickets).enumerate() {
        let seat = Seat {
            player: *player,
            ticket: ticket.ticket,
            bot_seed: (number * SEATS + place) as u32,
            may_be_killed: planned.may_kill(place),
        };
        let seats = Arc::clone(seats);
        playing.spawn(async move { (place, seats.play(&seat).await) });
    }
    let mut played = Vec::new();
    while let Some(joined) = playing.join_next().await {
        let (place, seat) = joined.map_err(|error| error.to_string())?;
        let player = planned.players[place];
        let seat = seat.map_err(|words| {
            let game = planned.game;
            format!("match {number} ({game}, {match_id}), seat {place}, {player:?}: {words}")
        })?;
        played.push((place, seat));
    }
    played.sort_by_key(|(place, _)| *place);
    let replay = client.replay(&match_id).await?;
    Ok(PlayedMatch {
        match_id,
        seats: played.into_iter().map(|(_, seat)| seat).collect(),
        first_replay: replay.clone(),
        replay,
    })
}
