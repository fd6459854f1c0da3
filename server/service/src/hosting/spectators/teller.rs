//! From a match to those who watch it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bridgemaster_match::News;
use bridgemaster_proto::v1::WatchMatchResponse;
use prost::Message as _;
use tokio::{sync::mpsc, task::yield_now};

use super::{
    audience::{Audience, Entrant, ToAll, slow},
    news::WatchReceiver,
};
use crate::{
    journal::{Gate, Gated},
    limits::Limits,
    refusal::Refusal,
    tally::Tally,
};

/// What a match has of its spectators: under its lock, so that everybody is told all that came after
/// what they saw first. Dropping it ends their streams.
pub(in super::super) struct Teller {
    audience: Arc<Audience>,
    /// The number of the next news.
    next: u64,
    /// To the task that tells them; `None` while nobody watches.
    task: Option<mpsc::UnboundedSender<Given>>,
    /// News that the task has not told, and how many they may be.
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    bytes: Arc<Tally>,
}

/// Something for the task that tells spectators.
enum Given {
    /// News to be told when they may be.
    News { number: u64, news: Gated<News> },
    /// Those who began before the news of this number are let go, with a reason if there is one.
    End { before: u64, why: Option<Refusal> },
}

impl Teller {
    /// The teller of `audience`. News that wait for somebody behind others count against `bytes`, once.
    pub(in super::super) fn new(
        audience: &Arc<Audience>,
        limits: &Limits,
        bytes: &Arc<Tally>,
    ) -> Self {
        Self {
            audience: Arc::clone(audience),
            next: 0,
            task: None,
            waiting: Arc::default(),
            most_waiting: limits.watcher_queue,
            bytes: Arc::clone(bytes),
        }
    }

    /// Whether anybody watches.
    pub(in super::super) fn is_watched(&self) -> bool {
        self.task.is_some() && !self.audience.is_empty()
    }

    /// Begins to tell somebody, first `snapshot`.
    pub(in super::super) fn begin(
        &mut self,
        entrant: Entrant,
        snapshot: &WatchMatchResponse,
        gate: Option<Gate>,
    ) -> WatchReceiver {
        if self.task.is_none() {
            let (task, given) = mpsc::unbounded_channel();
            self.task = Some(task);
            self.waiting = Arc::default();
            let audience = Arc::clone(&self.audience);
            let (waiting, bytes) = (Arc::clone(&self.waiting), Arc::clone(&self.bytes));
            tokio::spawn(tell_all(audience, given, waiting, bytes));
        }
        entrant.begin(snapshot, gate, self.next)
    }

    /// Tells all of them when `gate` is open. If so much waits to be told already, they are let go
    /// instead.
    pub(in super::super) fn tell(&mut self, news: News, gate: Option<Gate>) {
        if !self.is_watched() {
            // Its task ends.
            self.task = None;
            return;
        }
        if self.waiting.load(Ordering::Relaxed) >= self.most_waiting {
            return self.end(Some(slow()));
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let number = self.next;
        self.next += 1;
        let news = Gated::new(news, gate);
        self.give(Given::News { number, news });
    }

    /// Lets all of them go once they are told everything.
    pub(in super::super) fn dismiss(&mut self) {
        self.end(None);
    }

    /// Lets all of them go for this reason, once they are told everything before.
    pub(in super::super) fn let_go(&mut self, why: Refusal) {
        self.end(Some(why));
    }

    fn end(&mut self, why: Option<Refusal>) {
        self.next += 1;
        let before = self.next;
        self.give(Given::End { before, why });
        self.task = None;
    }

    fn give(&self, given: Given) {
        // A task that has ended has let all of them go.
        let _ = self.task.as_ref().map(|task| task.send(given));
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.dismiss();
    }
}

/// Tells everybody what it is given, in its order, until no more comes.
async fn tell_all(
    audience: Arc<Audience>,
    mut given: mpsc::UnboundedReceiver<Given>,
    waiting: Arc<AtomicUsize>,
    bytes: Arc<Tally>,
) {
    while let Some(given) = given.recv().await {
        match given {
            Given::News { number, news } => {
                let Ok(news) = news.shown().await else {
                    return audience.end(number + 1, Some(&Refusal::storage_failed()));
                };
                let message = news.to_message().encode_to_vec().into();
                let told = ToAll::new(number, message, &bytes);
                while !audience.tell_some(&told) {
                    yield_now().await;
                }
                waiting.fetch_sub(1, Ordering::Relaxed);
            }
            Given::End { before, why } => audience.end(before, why.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{MatchInfo, WatchMatchResponse};
    use prost::Message as _;
    use tonic::Code;

    use super::*;
    use crate::journal::NotStored;

    /// What tells its number.
    fn message(number: u32) -> WatchMatchResponse {
        let info = MatchInfo {
            decisions: number,
            ..MatchInfo::default()
        };
        WatchMatchResponse {
            r#match: Some(info),
            ..WatchMatchResponse::default()
        }
    }

    struct Scene {
        audience: Arc<Audience>,
        teller: Teller,
        limits: Limits,
        bytes: Arc<Tally>,
    }

    impl Scene {
        fn with(limits: Limits) -> Self {
            let audience = Arc::<Audience>::default();
            let bytes = Tally::new(limits.watcher_queue_bytes);
            let teller = Teller::new(&audience, &limits, &bytes);
            Self {
                audience,
                teller,
                limits,
                bytes,
            }
        }

        fn begin(&mut self, number: u32) -> WatchReceiver {
            let entrant = self.audience.enter(None, &self.limits).unwrap();
            self.teller.begin(entrant, &message(number), None)
        }

        fn tell(&mut self, number: u32) {
            self.teller.tell(News::new(move || message(number)), None);
        }
    }

    /// The number of what somebody is told next; `None` when there is no more.
    async fn told(receiver: &mut WatchReceiver) -> Option<Result<u32, Code>> {
        let told = receiver.recv().await?.shown().await.unwrap();
        let number = |shared: super::super::SharedNews| {
            let message = WatchMatchResponse::decode(shared.into_bytes()).unwrap();
            message.r#match.unwrap().decisions
        };
        Some(told.map(number).map_err(|status| status.code()))
    }

    #[tokio::test]
    async fn everybody_is_told_what_came_after_what_they_saw_first_and_the_end() {
        let mut scene = Scene::with(Limits::default());
        let mut first = scene.begin(0);
        scene.tell(1);
        let mut second = scene.begin(1);
        // More than are told at once.
        let mut crowd: Vec<_> = (0..150).map(|_| scene.begin(1)).collect();
        scene.tell(2);
        scene.teller.dismiss();
        assert!(!scene.teller.is_watched());
        for number in [0, 1, 2] {
            assert_eq!(told(&mut first).await, Some(Ok(number)));
        }
        assert_eq!(told(&mut first).await, None);
        for one in std::iter::once(&mut second).chain(&mut crowd) {
            assert_eq!(told(one).await, Some(Ok(1)));
            assert_eq!(told(one).await, Some(Ok(2)));
            assert_eq!(told(one).await, None);
        }
        // Somebody who comes after the end sees it, and no more.
        let mut late = scene.begin(2);
        scene.teller.dismiss();
        assert_eq!(told(&mut late).await, Some(Ok(2)));
        assert_eq!(told(&mut late).await, None);
    }

    #[tokio::test]
    async fn news_are_encoded_once_and_who_reads_too_slowly_is_let_go() {
        let mut scene = Scene::with(Limits {
            watcher_queue: 4,
            ..Limits::default()
        });
        let [mut prompt, mut other, mut slow] = [0; 3].map(|_| scene.begin(0));
        told(&mut prompt).await;
        told(&mut other).await;
        for number in 1..10 {
            scene.tell(number);
            let shared = async |receiver: &mut WatchReceiver| {
                let told = receiver.recv().await.unwrap().into_value();
                told.unwrap().into_bytes()
            };
            let (one, same) = (shared(&mut prompt).await, shared(&mut other).await);
            assert_eq!(one.as_ptr(), same.as_ptr(), "the same bytes in memory");
        }
        for number in 0..4 {
            assert_eq!(told(&mut slow).await, Some(Ok(number)));
        }
        let refused = told(&mut slow).await.unwrap();
        assert_eq!(refused, Err(Code::ResourceExhausted));
        assert_eq!(told(&mut slow).await, None);
        assert_eq!(scene.bytes.held(), 0, "all that waited is read");
    }

    #[tokio::test]
    async fn who_waits_for_what_is_never_stored_is_told_so() {
        let mut scene = Scene::with(Limits::default());
        let mut one = scene.begin(0);
        assert_eq!(told(&mut one).await, Some(Ok(0)));
        let gate = Gate::default();
        scene
            .teller
            .tell(News::new(|| message(1)), Some(gate.clone()));
        gate.settle(Err(NotStored));
        let refused = told(&mut one).await.unwrap();
        assert_eq!(refused, Err(Code::Unavailable));
        assert_eq!(told(&mut one).await, None);
    }

    #[tokio::test]
    async fn a_match_that_nobody_watches_any_more_makes_no_news() {
        let mut scene = Scene::with(Limits::default());
        drop(scene.begin(0));
        assert!(scene.teller.is_watched());
        scene.tell(1);
        while scene.teller.is_watched() {
            yield_now().await;
        }
        scene.teller.tell(News::new(|| unreachable!()), None);
    }
}
