//! The unary calls of `RulesService`. Each function converts a request to its response; the samples
//! of a position are drawn in steps. A problem names its field by a path relative to the request.

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ApplyDecisionsRequest, ApplyDecisionsResponse, ConvertNotationRequest,
        ConvertNotationResponse, GetObservationRequest, GetObservationResponse, GetOutcomeRequest,
        GetOutcomeResponse, ListLegalDecisionsRequest, ListLegalDecisionsResponse, RefusalReason,
        RulesPosition, RulesSample, SampleStatesRequest, SampleStatesResponse,
    },
};
use prost::Message as _;

use crate::{
    position::{Position, check_count, seed},
    problem::{MAX_ANSWER_BYTES, MAX_CONVERSIONS, MAX_SAMPLES, Problem},
};

/// Returns a seat's legal decisions.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
pub fn list_legal_decisions(
    request: &ListLegalDecisionsRequest,
) -> Result<ListLegalDecisionsResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    let (legal_decisions, legal_decisions_cut) = position.of_game.legal(request.seat)?;
    Ok(ListLegalDecisionsResponse {
        legal_decisions,
        legal_decisions_cut,
        status: Some(position.of_game.status()),
    })
}

/// Applies a position's decisions. Returns the observation after the decisions, and the decisions'
/// events.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
pub fn apply_decisions(request: &ApplyDecisionsRequest) -> Result<ApplyDecisionsResponse, Problem> {
    let mut events = Vec::new();
    let message = set(request.position.as_ref())?;
    let position = Position::rebuild_with_events(message, &mut events);
    let position = position.map_err(|problem| problem.below("position"))?;
    let observation = observe(&position, request.viewer_seat)?;
    Ok(ApplyDecisionsResponse {
        observation: Some(observation),
        events,
        status: Some(position.of_game.status()),
    })
}

/// Returns a position's status, with its outcome if the game has ended.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt.
pub fn get_outcome(request: &GetOutcomeRequest) -> Result<GetOutcomeResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    Ok(GetOutcomeResponse { status: Some(position.of_game.status()) })
}

/// Returns a viewer's observation of a position.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
pub fn get_observation(request: &GetObservationRequest) -> Result<GetObservationResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    Ok(GetObservationResponse { observation: Some(observe(&position, request.viewer_seat)?) })
}

fn observe(
    position: &Position,
    viewer_seat: Option<u32>,
) -> Result<bridgemaster_proto::v1::GameObservation, Problem> {
    let observed = position.of_game.observe(viewer_seat);
    observed.map_err(|problem| problem.below("viewer_seat"))
}

fn rebuild(message: Option<&RulesPosition>) -> Result<Position, Problem> {
    Position::rebuild(set(message)?).map_err(|problem| problem.below("position"))
}

/// Returns the position in a request, or a problem if it is not set.
pub(crate) fn set(message: Option<&RulesPosition>) -> Result<&RulesPosition, Problem> {
    message.ok_or_else(|| Problem::invalid("position", "must be set"))
}

/// Converts decisions to and from their text notation.
///
/// # Errors
///
/// Returns a problem that names the first decision or text that is not valid in the game.
pub fn convert_notation(
    request: &ConvertNotationRequest,
) -> Result<ConvertNotationResponse, Problem> {
    let lists = [("decisions", request.decisions.len()), ("texts", request.texts.len())];
    if let Some((field, count)) = lists.into_iter().find(|(_, len)| *len > MAX_CONVERSIONS) {
        let detail = format!("must have at most {MAX_CONVERSIONS} entries, found {count}");
        return Err(Problem::invalid(field, detail));
    }
    with_game!(request.game_id.as_str(), G => convert::<G>(request)).unwrap_or_else(|| {
        let games = GAME_IDS.join(", ");
        Err(Problem::invalid("game_id", format!("unknown game; the games are {games}")))
    })
}

fn convert<G: WireGame>(
    request: &ConvertNotationRequest,
) -> Result<ConvertNotationResponse, Problem> {
    let mut response = ConvertNotationResponse::default();
    for (place, decision) in request.decisions.iter().enumerate() {
        let decision = G::decision_from_wire(decision);
        let decision = decision.map_err(|error| {
            Problem::rules(RefusalReason::InvalidField, &format!("decisions[{place}]"), error)
        })?;
        let text = decision.to_string();
        // Refuses decisions whose text cannot be read back. No state allows such a decision, for
        // example to take no card.
        read::<G>("decisions", place, &text)?;
        response.texts.push(text);
    }
    for (place, text) in request.texts.iter().enumerate() {
        let decision = read::<G>("texts", place, text)?;
        response.decisions.push(G::decision_to_wire(&decision));
    }
    Ok(response)
}

/// Reads the decision at index `place` in a list of texts.
fn read<G: WireGame>(list: &str, place: usize, text: &str) -> Result<G::Decision, Problem> {
    let decision: Result<G::Decision, _> = text.parse();
    decision.map_err(|error| Problem::invalid(format!("{list}[{place}]"), error.to_string()))
}

/// A call's samples, in progress.
#[derive(Debug)]
pub struct Sampling {
    request: SampleStatesRequest,
    requested: u32,
    next: u32,
    bytes: usize,
    samples: Vec<RulesSample>,
}

impl Sampling {
    /// Starts the samples of a request.
    ///
    /// # Errors
    ///
    /// Returns a problem if the request has no position, or too many samples are requested.
    pub fn new(request: SampleStatesRequest) -> Result<Self, Problem> {
        let message = set(request.position.as_ref())?;
        check_count(message.decisions.len()).map_err(|problem| problem.below("position"))?;
        let requested = match request.samples {
            0 => 1,
            requested @ 1..=MAX_SAMPLES => requested,
            other => {
                let detail = format!("{other} is out of range (0..={MAX_SAMPLES})");
                return Err(Problem::invalid("samples", detail));
            }
        };
        Ok(Self { request, requested, next: 0, bytes: 0, samples: Vec::new() })
    }

    /// Draws samples until all are drawn or `keep_going` returns `false`. Returns `true` if all
    /// samples are drawn.
    ///
    /// # Errors
    ///
    /// Returns a problem if the position cannot be rebuilt, or the samples exceed the size limit.
    pub fn work(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Result<bool, Problem> {
        while self.next < self.requested {
            self.draw()?;
            if !keep_going() {
                break;
            }
        }
        Ok(self.next >= self.requested)
    }

    /// Returns the samples drawn so far.
    pub fn into_response(self) -> SampleStatesResponse {
        SampleStatesResponse { samples: self.samples }
    }

    /// Draws the next sample. Skips a sample in which any of the position's decisions is illegal.
    fn draw(&mut self) -> Result<(), Problem> {
        let message = set(self.request.position.as_ref())?;
        let name = format!("{}.{}", message.sample_seed, self.next);
        self.next += 1;
        let below = |problem: Problem| problem.below("position");
        let sample_seed = seed("sample_seed", &name).map_err(below)?;
        let mut position = Position::root(message, sample_seed).map_err(below)?;
        match position.of_game.apply(&message.decisions, None) {
            Ok(()) => {}
            Err(problem) if is_due_to_sample(problem.reason) => return Ok(()),
            Err(problem) => {
                return Err(problem.with_reason(RefusalReason::InvalidField).below("position"));
            }
        }
        let sample =
            RulesSample { sample_seed: name, observations: position.of_game.observe_all() };
        self.bytes += sample.encoded_len();
        if self.bytes > MAX_ANSWER_BYTES {
            let detail = format!(
                "{} samples have more than {MAX_ANSWER_BYTES} bytes; request fewer",
                self.next
            );
            return Err(Problem::new(RefusalReason::LimitReached, "samples", detail));
        }
        self.samples.push(sample);
        Ok(())
    }
}

/// Returns `true` if decisions were refused because of a sample's hidden facts, so that another
/// sample might allow them.
fn is_due_to_sample(reason: RefusalReason) -> bool {
    matches!(reason, RefusalReason::IllegalDecision | RefusalReason::IndexOutOfRange)
}
