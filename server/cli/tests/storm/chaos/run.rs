//! Plays all matches of a plan, undisturbed or in the storm.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{
    ClockRules, CreateMatchResponse, GetReplayRequest, ListMatchesRequest, MatchConfig, MatchInfo,
    Replay, TimeControl, match_service_client::MatchServiceClient,
};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};

use super::{
    plan::{Disturbance, Order, Plan, PlannedMatch, Trouble, WHOLE},
    proxy::Proxy,
    seats::{PlayedSeat, Seat, Seats},
    server_place::ServerPlace,
};
use crate::kit::calls::{config, create_request};

/// Most seats of a match, so that each seat of a run has a number of its own.
const SEATS: usize = 16;
/// Delay after a call that the server did not answer.
const PAUSE: Duration = Duration::from_millis(20);
/// Matches per page of a list: several pages in every run.
const PAGE_SIZE: u32 = 5;
/// A time control that no correct bot exceeds on a loaded machine, even if the server fails, and
/// that end a match whose bot hangs.
const CLOCK: ClockRules = ClockRules {
    time_control: Some(TimeControl::fischer(1_200_000, 500, 600_000)),
    // A match that was made but whose answer was lost must not start before the run is over.
    startup_ms: Some(3_600_000),
    reconnect_ms: Some(180_000),
    round_trip_credit_ms: None,
    referee_lag_limit_ms: None,
};

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

/// Outcome of a run.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// In the order of the plan.
    pub(crate) matches: Vec<PlayedMatch>,
    /// Matches that the last server lists.
    pub(crate) listed: Vec<MatchInfo>,
    /// Calls of CreateMatch that the server did not answer.
    pub(crate) unanswered_creates: usize,
    /// Requests that watched bots were asked.
    pub(crate) requests: u64,
    pub(crate) faults: Faults,
    /// Connections that bots made.
    pub(crate) connections: u64,
    pub(crate) server_starts: usize,
    pub(crate) panics: Vec<String>,
    /// Files that the last server has left in the folder of the replays.
    pub(crate) replay_files: PathBuf,
    pub(crate) time: Duration,
}

/// Counts of injected faults.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// SIGKILLs of the server.
    pub(crate) server_kills: usize,
    /// Kills that hit a server while it started.
    pub(crate) kills_while_starting: usize,
    /// SIGKILLs of bot processes, and watched bots that were dropped.
    pub(crate) bot_kills: usize,
    /// Connections that were cut, by how.
    pub(crate) cuts: BTreeMap<&'static str, usize>,
    /// Kills and cuts for which no target was there.
    pub(crate) missed: usize,
}

/// Options of a run.
pub(crate) struct Run<'a> {
    pub(crate) order: &'a Order,
    pub(crate) plan: &'a Plan,
    pub(crate) python: Option<&'a Path>,
    pub(crate) folder: PathBuf,
}

impl Run<'_> {
    /// Plays an undisturbed run, or, given the number of requests of such a run, a run with all
    /// disturbances of the plan.
    ///
    /// # Errors
    /// With the mistake of a bot or the server.
    pub(crate) async fn play(&self, whole: Option<u64>) -> Result<Played, String> {
        let started = Instant::now();
        std::fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        let mut server = ServerPlace::over(&self.folder);
        let played = timeout(self.order.patience, self.play_with(&mut server, whole)).await;
        let late = |_| Err(format!("not over after {:?}", self.order.patience));
        let played = played.unwrap_or_else(late).map_err(|problem| {
            let (said, panics) = (server.last_words(), server.panics().join("\n"));
            format!("{problem}\nthe last server said: {said}\n{panics}")
        })?;
        Ok(Played {
            server_starts: server.starts,
            panics: server.panics(),
            replay_files: server.replays(),
            time: started.elapsed(),
            ..played
        })
    }

    async fn play_with(
        &self,
        server: &mut ServerPlace,
        whole: Option<u64>,
    ) -> Result<Played, String> {
        let proxy = Proxy::start().await.map_err(|error| error.to_string())?;
        proxy.lead_to(Some(server.start().await?));
        let client = Client(proxy.server());
        let progress = Arc::new(watch::Sender::new(0));
        let seats = Arc::new(Seats::new(&proxy.url, self.python, Arc::clone(&progress)));
        let unanswered = Arc::new(AtomicUsize::new(0));

        let mut playing = self.start_matches(&client, &seats, &unanswered);
        let matches = async {
            let mut ended = BTreeMap::new();
            while let Some(joined) = playing.join_next().await {
                let (number, played) = joined.map_err(|error| error.to_string())?;
                ended.insert(number, played?);
            }
            Ok::<_, String>(ended)
        };
        let (mut matches, faults) = match whole {
            None => (matches.await?, Faults::default()),
            Some(whole) => {
                let progress = progress.subscribe();
                let storm = storm(self.plan, whole, progress, server, &proxy, &seats);
                let (matches, faults) = tokio::try_join!(matches, storm)?;
                // All must still be there after one more.
                proxy.lead_to(None);
                server.kill()?;
                proxy.lead_to(Some(server.start().await?));
                (matches, faults)
            }
        };
        for one in matches.values_mut() {
            one.replay = client.replay(&one.match_id).await?;
        }
        let listed = client.list().await?;
        server.stop().await?;
        proxy.wait_until_empty().await;
        Ok(Played {
            matches: matches.into_values().collect(),
            listed,
            unanswered_creates: unanswered.load(Ordering::Relaxed),
            requests: *progress.borrow(),
            faults,
            connections: proxy.accepted(),
            ..Played::default()
        })
    }

    /// Creates and plays the matches, some at once; each comes with its number in the plan.
    fn start_matches(
        &self,
        client: &Client,
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
    client: &Client,
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
    let mut played = BTreeMap::new();
    while let Some(joined) = playing.join_next().await {
        let (place, seat) = joined.map_err(|error| error.to_string())?;
        let seat = seat.map_err(|problem| {
            let (game, player) = (planned.game, planned.players[place]);
            format!("match {number} ({game}, {match_id}), seat {place}, {player:?}: {problem}")
        })?;
        played.insert(place, seat);
    }
    let replay = client.replay(&match_id).await?;
    Ok(PlayedMatch {
        match_id,
        seats: played.into_values().collect(),
        first_replay: replay.clone(),
        replay,
    })
}

/// Injects all faults of a plan, each at its moment. `whole` is the number of requests of an
/// undisturbed run.
async fn storm(
    plan: &Plan,
    whole: u64,
    mut progress: watch::Receiver<u64>,
    server: &mut ServerPlace,
    proxy: &Proxy,
    seats: &Seats,
) -> Result<Faults, String> {
    let mut faults = Faults::default();
    for Disturbance { at, what } in &plan.disturbances {
        let moment = whole * at / WHOLE;
        let reached = progress.wait_for(|requests| *requests >= moment).await;
        reached.map_err(|error| error.to_string())?;
        match what {
            Trouble::KillServer { after, again_after } => {
                sleep(*after).await;
                server.kill()?;
                proxy.lead_to(None);
                for after in again_after {
                    server.start_and_kill(*after).await?;
                }
                proxy.lead_to(Some(server.start().await?));
                faults.server_kills += 1 + again_after.len();
                faults.kills_while_starting += again_after.len();
            }
            Trouble::KillBot { pick } if seats.kill(*pick) => faults.bot_kills += 1,
            Trouble::Cut { pick, how } if proxy.cut(*pick, *how) => {
                *faults.cuts.entry(how.name()).or_default() += 1;
            }
            Trouble::KillBot { .. } | Trouble::Cut { .. } => faults.missed += 1,
        }
    }
    Ok(faults)
}

/// Client of the match service at the current address of the server, which retries while there is
/// none.
#[derive(Clone)]
struct Client(watch::Receiver<Option<String>>);

impl Client {
    /// Creates a match. Returns the number of earlier calls without an answer, each of which may have
    /// created another match.
    async fn create(&self, planned: &PlannedMatch) -> Result<(CreateMatchResponse, usize), String> {
        let request = create_request(MatchConfig {
            seed: Some(planned.seed.clone()),
            ..config(planned.game, planned.players.len() as u32, CLOCK)
        });
        let mut unanswered = 0;
        loop {
            if let Some(mut client) = self.client().await {
                match client.create_match(request.clone()).await {
                    Ok(made) => return Ok((made.into_inner(), unanswered)),
                    Err(status) => lost(status)?,
                }
                unanswered += 1;
            }
            sleep(PAUSE).await;
        }
    }

    /// All matches that the server lists.
    async fn list(&self) -> Result<Vec<MatchInfo>, String> {
        let mut client = self.client().await.ok_or("the server is not there")?;
        let mut matches = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListMatchesRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..ListMatchesRequest::default()
            };
            let page = client.list_matches(request).await;
            let page = page.map_err(|status| status.to_string())?.into_inner();
            matches.extend(page.matches);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(matches);
            }
        }
    }

    /// Returns the replay of a match that has ended for its bots.
    async fn replay(&self, match_id: &str) -> Result<Replay, String> {
        let request = GetReplayRequest {
            match_id: match_id.to_owned(),
            ..GetReplayRequest::default()
        };
        loop {
            if let Some(mut client) = self.client().await {
                match client.get_replay(request.clone()).await {
                    Ok(replay) => {
                        let replay = replay.into_inner().replay;
                        return replay.ok_or_else(|| format!("{match_id}: there is no replay"));
                    }
                    Err(status) => lost(status)?,
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// A connection to the server as soon as there is one; `None` when it was gone again.
    async fn client(&self) -> Option<MatchServiceClient<Channel>> {
        let mut server = self.0.clone();
        let address = server.wait_for(Option::is_some).await.ok()?.clone()?;
        let endpoint = Endpoint::from_shared(format!("http://{address}")).ok()?;
        endpoint.connect().await.ok().map(MatchServiceClient::new)
    }
}

/// Takes the failure of a call that the server may have carried out or not, for it was lost over it.
///
/// # Errors
/// Any other failure.
fn lost(status: Status) -> Result<(), String> {
    match status.code() {
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled => Ok(()),
        _ => Err(format!("the server refuses a call: {status}")),
    }
}
